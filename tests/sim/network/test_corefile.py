"""What the name server's settings make of a name."""

import pytest

from aiops_gym.catalog.platform import COREFILE
from aiops_gym.sim.network import corefile
from aiops_gym.sim.network.corefile import CorefileError, Found

GEO, RATE = "geo.shop.svc.cluster.local", "rate.shop.svc.cluster.local"


def read(*lines, before=""):
    return corefile.read(before + COREFILE.replace("    cache", "\n".join((*lines, "    cache"))))


def test_plain_service_discovery_has_no_rules():
    assert corefile.read(COREFILE) == []


RULES = [
    ([f"template ANY ANY {GEO} {{", "rcode NXDOMAIN", "}"], GEO, Found()),
    ([f"template ANY ANY {GEO} {{", "rcode NXDOMAIN", "}"], RATE, Found(RATE)),
    (["template IN A . {", 'match "^geo[.]"', "rcode SERVFAIL", "}"], GEO, Found()),
    (["template IN A . {", 'match "^geo[.]"', "rcode SERVFAIL", "}"], RATE, Found(RATE)),
    ([f"template ANY ANY {GEO} {{", "rcode NOERROR", "}"], GEO, Found()),
    ([f"rewrite name {GEO} {RATE}"], GEO, Found(RATE)),
    (["rewrite stop name suffix .old.local .cluster.local"], "geo.shop.svc.old.local", Found(GEO)),
    (["rewrite name regex geo[.](.*) rate.{1}"], GEO, Found(RATE)),
    (["hosts {", f"10.9.9.9 {GEO}", "fallthrough", "}"], GEO, Found(ip="10.9.9.9")),
    (["hosts {", f"10.9.9.9 {GEO}", "fallthrough", "}"], RATE, Found(RATE)),
]


@pytest.mark.parametrize(("lines", "asked", "found"), RULES)
def test_plugins_answer_in_their_order(lines, asked, found):
    assert corefile.find(read(*lines), asked) == found


def test_the_block_with_the_longest_zone_answers():
    rules = read(before="shop.svc.cluster.local:53 {\n    forward . 10.0.0.9\n}\n")
    assert corefile.find(rules, GEO) == Found()
    assert corefile.find(rules, "geo.mall.svc.cluster.local").name == "geo.mall.svc.cluster.local"


def test_another_zone_is_another_cluster():
    rules = corefile.read(COREFILE.replace("kubernetes cluster.local", "kubernetes cluster.internal"))
    assert corefile.find(rules, GEO) == Found()


@pytest.mark.parametrize("text", ["", ".:53 {\n    kubernetes\n", ".:53 {\n    kubernetis cluster.local\n}\n"])
def test_what_is_no_corefile_is_refused(text):
    with pytest.raises(CorefileError, match="Error during parsing"):
        corefile.read(text)
