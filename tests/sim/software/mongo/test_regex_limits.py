"""A regular expression cannot take time without end."""

import pytest

from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.query import matches


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|a)*b", "((a*))*b", "a*a*a*a*a*b", "(?:x+y?)+z", "a" * 500])
def test_a_pattern_that_may_not_end_is_refused(pattern):
    with pytest.raises(MongoError, match="Regular expression is invalid"):
        matches({"a": "a" * 40 + "!"}, {"a": {"$regex": pattern}})


ORDINARY = [("^geo", True), ("o.*x$", False), ("g.o", True), ("^(geo|rate)$", True)]


@pytest.mark.parametrize(("pattern", "found"), ORDINARY)
def test_an_ordinary_pattern_matches(pattern, found):
    assert matches({"a": "geo"}, {"a": {"$regex": pattern}}) is found
