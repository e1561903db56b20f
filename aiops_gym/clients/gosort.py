"""Go's `sort.Sort`: equal elements do not keep their order, and kubectl's output shows where they went.

Pattern-defeating quicksort as in Go 1.19 and later; it draws its few random numbers from the length, so that the same
input always ends in the same order. Source: the Go standard library, `sort/zsortinterface.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Less = Callable[[int, int], bool]
SMALL = 12
"""Slices up to this long are sorted by insertion."""

NINTHER = 50
SHORTEST = 8
SWAPS = 4 * 3
STEPS = 5
SHORT_SHIFTING = 50
MASK = (1 << 64) - 1


def go_sort(items: Sequence[T], less: Callable[[T, T], bool]) -> list[T]:
    """The items in the order in which Go's `sort.Sort` leaves them.

    >>> go_sort([3, 1, 2], lambda a, b: a < b)
    [1, 2, 3]
    """
    sorter = _Sorter(list(items), less)
    sorter.quick(0, len(items), len(items).bit_length())
    return sorter.items  # type: ignore[return-value]


class _Sorter:
    """One call of `sort.Sort`."""

    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self.items = items
        self.less: Less = lambda i, j: less(items[i], items[j])

    def swap(self, i: int, j: int) -> None:
        items = self.items
        items[i], items[j] = items[j], items[i]

    def quick(self, a: int, b: int, limit: int) -> None:
        """Sort [a, b)."""
        balanced = partitioned = True
        while True:
            length = b - a
            if length <= SMALL:
                self.insertion(a, b)
                return
            if limit == 0:
                self.heap(a, b)
                return
            if not balanced:
                self.break_patterns(a, b)
                limit -= 1
            pivot, hint = self.choose(a, b)
            if hint < 0:
                self.reverse(a, b)
                pivot, hint = (b - 1) - (pivot - a), 1
            if balanced and partitioned and hint > 0 and self.partial_insertion(a, b):
                return
            if a > 0 and not self.less(a - 1, pivot):
                a = self.partition_equal(a, b, pivot)
                continue
            middle, partitioned = self.partition(a, b, pivot)
            left, right = middle - a, b - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.quick(a, middle, limit)
                a = middle + 1
            else:
                self.quick(middle + 1, b, limit)
                b = middle

    def insertion(self, a: int, b: int) -> None:
        for i in range(a + 1, b):
            j = i
            while j > a and self.less(j, j - 1):
                self.swap(j, j - 1)
                j -= 1

    def heap(self, a: int, b: int) -> None:
        high = b - a
        for i in range((high - 1) // 2, -1, -1):
            self.sift(i, high, a)
        for i in range(high - 1, -1, -1):
            self.swap(a, a + i)
            self.sift(0, i, a)

    def sift(self, low: int, high: int, first: int) -> None:
        root = low
        while (child := 2 * root + 1) < high:
            if child + 1 < high and self.less(first + child, first + child + 1):
                child += 1
            if not self.less(first + root, first + child):
                return
            self.swap(first + root, first + child)
            root = child

    def partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        self.swap(a, pivot)
        i, j = a + 1, b - 1
        while i <= j and self.less(i, a):
            i += 1
        while i <= j and not self.less(j, a):
            j -= 1
        if i > j:
            self.swap(j, a)
            return j, True
        self.swap(i, j)
        i, j = i + 1, j - 1
        while True:
            while i <= j and self.less(i, a):
                i += 1
            while i <= j and not self.less(j, a):
                j -= 1
            if i > j:
                break
            self.swap(i, j)
            i, j = i + 1, j - 1
        self.swap(j, a)
        return j, False

    def partition_equal(self, a: int, b: int, pivot: int) -> int:
        self.swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self.less(a, i):
                i += 1
            while i <= j and self.less(a, j):
                j -= 1
            if i > j:
                return i
            self.swap(i, j)
            i, j = i + 1, j - 1

    def partial_insertion(self, a: int, b: int) -> bool:
        """Sort a slice that is nearly sorted; whether it is sorted now."""
        i = a + 1
        for _ in range(STEPS):
            while i < b and not self.less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < SHORT_SHIFTING:
                return False
            self.swap(i, i - 1)
            if i - a >= 2:
                for j in range(i - 1, 0, -1):
                    if not self.less(j, j - 1):
                        break
                    self.swap(j, j - 1)
            if b - i >= 2:
                for j in range(i + 1, b):
                    if not self.less(j, j - 1):
                        break
                    self.swap(j, j - 1)
        return False

    def break_patterns(self, a: int, b: int) -> None:
        length = b - a
        if length < SHORTEST:
            return
        random, modulus = length, 1 << length.bit_length()
        at = a + (length // 4) * 2 - 1
        for i in range(3):
            random ^= (random << 13) & MASK
            random ^= random >> 17
            random ^= (random << 5) & MASK
            other = random & (modulus - 1)
            if other >= length:
                other -= length
            self.swap(at + i, a + other)

    def choose(self, a: int, b: int) -> tuple[int, int]:
        """A pivot, and 1 where the slice looks ascending, -1 descending, else 0."""
        length, swaps = b - a, [0]
        i, j, k = a + length // 4, a + length // 4 * 2, a + length // 4 * 3
        if length >= SHORTEST:
            if length >= NINTHER:
                i, j, k = (self.median(x - 1, x, x + 1, swaps) for x in (i, j, k))
            j = self.median(i, j, k, swaps)
        return j, 1 if swaps[0] == 0 else -1 if swaps[0] == SWAPS else 0

    def median(self, a: int, b: int, c: int, swaps: list[int]) -> int:
        if self.less(b, a):
            a, b, swaps[0] = b, a, swaps[0] + 1
        if self.less(c, b):
            b, c, swaps[0] = c, b, swaps[0] + 1
        if self.less(b, a):
            a, b, swaps[0] = b, a, swaps[0] + 1
        return b

    def reverse(self, a: int, b: int) -> None:
        i, j = a, b - 1
        while i < j:
            self.swap(i, j)
            i, j = i + 1, j - 1
