"""Values in objects are found by their path."""

from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.kernel.objects import Obj, get, walk

TREES = st.recursive(
    st.integers(-9, 9) | st.none(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner) | st.lists(inner)
)
STEPS = st.lists(st.sampled_from("abc") | st.integers(-2, 2), max_size=3)


@given(st.dictionaries(st.sampled_from("abc"), TREES), STEPS)
def test_a_value_is_found_at_its_path_and_nowhere_else(tree, path):
    there = {each[: n + 1] for each, _ in walk(tree) for n in range(len(each))}
    if tuple(path) in there:
        found = tree
        for step in path:
            found = found[step]
        assert get(Obj(tree), *path, default="none") == ("none" if found is None else found)
    elif path and not any(isinstance(step, int) for step in path):
        assert get(Obj(tree), *path, default="none") in ("none", {}, [])
