"""Ports and selectors of Services, changed together with all that depend on them, and Services that nobody needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.backends.decisions.site import Decision, Site, anybody, find_callers
from aiops_gym.backends.inject import roll_out

SETTINGS = "service-config.json"


def _name_port(site: Site) -> None:
    """The port has a name, and the Service forwards to the name."""
    name, number = site.pick(("main", "server", "traffic")), site.container["ports"][0]["containerPort"]
    site.patch_container({"ports": [{"containerPort": number, "protocol": "TCP", "name": name}]})
    site.world.run(30_000)
    service = site.service
    assert service is not None
    ports = [
        {**port, "targetPort": name if port["targetPort"] == number else port["targetPort"]} for port in _ports(site)
    ]
    site.patch("services", site.name, {"spec": {"ports": ports}})


def _ports(site: Site) -> list[dict[str, object]]:
    service = site.service
    return [dict(port) for port in service["spec"]["ports"]] if service else []


def _nameable(site: Site) -> bool:
    ports: Sequence[Mapping[str, Any]] = site.container.get("ports") or ()
    mine = [port for port in _ports(site) if ports and port.get("targetPort") == ports[0]["containerPort"]]
    return len(ports) == 1 and len(mine) == 1 and "name" not in ports[0]


def _renumber(site: Site) -> None:
    """The Service has another port, and all settings that name it say so."""
    port = _ports(site)[0]
    new = int(str(port["port"])) + site.pick((10, 20, 30, 100))
    for found in site.world.store.all("configmaps", site.app.namespace):
        text = (found.get("data") or {}).get(SETTINGS, "")
        changed = re.sub(rf'("addr": "{site.name}", "port": ){port["port"]}\b', rf"\g<1>{new}", text)
        mine = found["metadata"]["name"].startswith(site.name)  # there it says where the program itself listens
        if changed != text and not mine:
            site.patch("configmaps", found["metadata"]["name"], {"data": {SETTINGS: changed}})
    site.patch("services", site.name, {"spec": {"ports": [{"$patch": "replace"}, {**port, "port": new}]}})
    for user in find_callers(site):
        roll_out(site.world, site.app.namespace, user)
    site.world.run(30_000)


def _only_in_settings(site: Site) -> bool:
    """Whether all its clients read its port in their settings, and it is nobody's most needed."""
    parameters = site.app.parameters
    known = {row.get(key) for row in parameters.values() for key in ("callee", "pooled")}
    callers = find_callers(site)
    told = all(parameters.get(name, {}).get("file") == SETTINGS for name in callers)
    return len(_ports(site)) == 1 and bool(callers) and told and site.name not in known


def _select_more(site: Site) -> None:
    """Pods get one more label, and then the Service asks for it."""
    key, value = site.pick(("tier", "track", "part")), site.pick(("main", "stable", "live"), "value")
    site.patch_pod({}, {key: value})
    site.world.run(40_000)
    site.patch("services", site.name, {"spec": {"selector": {key: value}}})


def _select_otherwise(site: Site) -> None:
    """Pods get a label of another key, and then the Service asks for that alone."""
    had, service = site.deployment["spec"]["template"]["metadata"]["labels"], site.service
    assert service is not None
    key = site.pick(tuple(key for key in ("component", "app.kubernetes.io/name", "svc") if key not in had))
    site.patch_pod({}, {key: site.name})
    site.world.run(40_000)
    selector = {**dict.fromkeys(service["spec"]["selector"]), key: site.name}
    site.patch("services", site.name, {"spec": {"selector": selector}})


def _has_service(site: Site) -> bool:
    return site.service is not None


def _unused(site: Site) -> None:
    name = f"{site.name}-{site.pick(('old', 'v1', 'internal', 'legacy'))}"
    service = site.service
    assert service is not None
    ports = [{key: port[key] for key in ("name", "port", "targetPort", "protocol")} for port in _ports(site)[:1]]
    site.create("Service", name, spec={"selector": dict(service["spec"]["selector"]), "ports": ports})


def _more_ports(site: Site) -> None:
    """A second port that leads to the same program."""
    first, *rest = _ports(site)
    extra = {**first, "name": site.pick(("alt", "second", "compat")), "port": int(str(first["port"])) + 1000}
    extra.pop("nodePort", None)
    site.patch("services", site.name, {"spec": {"ports": [{"$patch": "replace"}, first, *rest, extra]}})


decisions = (
    Decision("named port", _name_port, _nameable, 1.5, replaces=anybody),
    Decision("another number", _renumber, _only_in_settings, 1.2, replaces=anybody),
    Decision("narrower selector", _select_more, _has_service, 1.5),
    Decision("selector of another label", _select_otherwise, _has_service, 1.2, replaces=anybody),
    Decision("unused Service", _unused, _has_service, 0.7),
    Decision("second port", _more_ports, _has_service),
)
