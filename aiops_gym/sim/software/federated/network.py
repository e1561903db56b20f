"""The layers of a PyTorch module, as they stand in the file of its class, and what loading others' weights says.

>>> own = read_layers("class Net(nn.Module):\\n  self.a = nn.Conv2d(3, 6, 5)\\n  self.b = nn.Linear(2 * 4, 10)\\n")
>>> [layer.shapes for layer in own][1]
(('b.weight', (10, 8)), ('b.bias', (10,)))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

CLASS = re.compile(r"^class (\w+)\(.*Module\):", re.MULTILINE)
LAYER = re.compile(r"^[ \t]*self\.(\w+)[ \t]*=[ \t]*(?:torch\.)?nn\.(Linear|Conv2d)\(([^()\n]{1,200})\)", re.MULTILINE)
FACTOR = re.compile(r"[ \t]*(?:\w+[ \t]*=)?[ \t]*(\d{1,7}(?:[ \t]*\*[ \t]*\d{1,7}){0,4})[ \t]*", re.ASCII)
MOST = 64
"""Layers that are read."""

BATCH = 32

Shape = tuple[str, tuple[int, ...]]


class Layer(NamedTuple):
    """One layer: name, kind, what comes in and out, and the width of its kernel."""

    name: str
    kind: str
    given: int
    made: int
    kernel: int = 0

    @property
    def shapes(self) -> tuple[Shape, Shape]:
        """Its parameters with their shapes."""
        inner = (self.given, self.kernel, self.kernel) if self.kind == "Conv2d" else (self.given,)
        return (f"{self.name}.weight", (self.made, *inner)), (f"{self.name}.bias", (self.made,))


def find_class(text: str) -> str:
    """Name of the first module, "" where there is none."""
    found = CLASS.search(text)
    return found[1] if found else ""


def read_layers(text: str) -> list[Layer]:
    """The layers that a file gives its module, in order; those whose sizes are not numbers are left out."""
    found = []
    for name, kind, arguments in LAYER.findall(text)[:MOST]:
        sizes = [FACTOR.fullmatch(part) for part in arguments.split(",")]
        numbers = [prod(int(n) for n in size[1].split("*")) for size in sizes if size]
        if len(numbers) >= (3 if kind == "Conv2d" else 2):
            found.append(Layer(name, kind, numbers[0], numbers[1], numbers[2] if kind == "Conv2d" else 0))
    return found


def list_shapes(layers: Sequence[Layer]) -> list[Shape]:
    """All parameters, in the order of `state_dict`."""
    return [shape for layer in layers for shape in layer.shapes]


def find_mismatch(own: Sequence[Shape], given: Sequence[Sequence[int]]) -> list[str]:
    r"""What a strict `load_state_dict` has against weights of these shapes, one for each parameter in order.

    >>> find_mismatch([("a.weight", (10, 80))], [(10, 84)])[0][:60]
    'size mismatch for a.weight: copying a param with shape torch'
    >>> find_mismatch([("a.weight", (2, 2)), ("a.bias", (2,))], [(2, 2)])
    ['Missing key(s) in state_dict: "a.bias". ']
    """
    missing = ", ".join(f'"{name}"' for name, _ in own[len(given) :])
    found = [f"Missing key(s) in state_dict: {missing}. "] if missing else []
    for (name, shape), other in zip(own, given, strict=False):
        if tuple(other) != shape:
            found.append(
                f"size mismatch for {name}: copying a param with shape {_torch(other)} from checkpoint, "
                f"the shape in current model is {_torch(shape)}."
            )
    return found


def find_clash(layers: Sequence[Layer]) -> str:
    """Why the module cannot be applied to a batch: two linear layers that do not fit; "" where they all do."""
    linear = [layer for layer in layers if layer.kind == "Linear"]
    for one, next_ in pairwise(linear):
        if one.made != next_.given:
            shapes = f"{BATCH}x{one.made} and {next_.given}x{next_.made}"
            return f"mat1 and mat2 shapes cannot be multiplied ({shapes})"
    return ""


def _torch(shape: Sequence[int]) -> str:
    return f"torch.Size([{', '.join(map(str, shape))}])"
