"""Which problems an agent may train on, and on which it is tested: a function of names, whatever else there is."""

from __future__ import annotations

from hashlib import blake2b

SPLITS = ("train", "test")

TEST_SHARE = 0.22
"""Share of the (fault, target) pairs of trained families that only the test shows."""


def split_of(app: str, fault: str, target: str, *, held_out: bool, fixed: bool) -> str:
    """The split of a fault on a target, the same for each task.

    Args:
        app: id of the app.
        fault: id of the fault.
        target: the component that is hit.
        held_out: the fault's whole family is unseen in training.
        fixed: AIOpsLab poses it, so that anybody may have trained on it.

    >>> split_of("shop", "some_fault", "cart", held_out=True, fixed=False)
    'test'
    """
    if fixed:
        return "train"
    return "test" if held_out or hash_to_fraction("split", app, fault, target) < TEST_SHARE else "train"


def hash_to_fraction(*words: object) -> float:
    """A number in [0, 1) that depends on the words only."""
    digest = blake2b(" ".join(map(str, words)).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * 2.0**-53
