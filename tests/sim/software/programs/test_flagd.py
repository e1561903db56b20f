"""What flagd makes of a file, and services of their environment."""

import json

from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.software.environment import read_address
from aiops_gym.sim.software.programs.flagd import read_flags
from aiops_gym.sim.telemetry.log_formats import FORMATS

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)


def _flag(chosen, state="ENABLED"):
    return {"state": state, "variants": {"on": 1, "off": 0}, "defaultVariant": chosen}


@given(st.text(max_size=30))
def test_any_text_is_read(text):
    assert isinstance(read_flags(text)[0], dict)


@given(st.dictionaries(st.sampled_from(["a", "b"]), JSON))
def test_what_is_no_flag_has_no_value(flags):
    values, _ = read_flags(json.dumps({"flags": flags}))
    assert set(values) <= set(flags)


def test_who_is_disabled_or_chooses_what_is_not_there_is_as_one_unknown():
    flags = {"on": _flag("on"), "off": _flag("off"), "gone": _flag("10%"), "out": _flag("on", "DISABLED")}
    assert read_flags(json.dumps({"flags": flags})) == ({"on": 1, "off": 0}, "")


@given(NAMES, st.integers(1, 65_535), NAMES, NAMES)
def test_every_way_to_write_an_address_means_the_same(host, port, user, password):
    plain = read_address(f"{host}:{port}")
    assert read_address(f"http://{host}:{port}/v1")[:2] == plain[:2] == (host, port)
    url = read_address(f"postgres://{user}:{password}@{host}:{port}/otel")
    assert url == read_address(f"Host={host};Port={port};Username={user};Password={password};Database=otel")
    assert url == read_address(f"host={host} port={port} user={user} password={password} dbname=otel")


@given(st.integers(0, 4_000_000_000_000), st.text(max_size=20))
def test_every_format_keeps_the_message(ms, message):
    for name, write in FORMATS.items():
        line = write(ms, "info", "a b:1", message, "cart")
        assert message in (json.loads(line)["msg"] if name == "pino" else line)
