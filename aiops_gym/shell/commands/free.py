"""`free`: memory of the machine."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

TOTAL, USED, FREE, SHARED, CACHE = 16_384_000, 5_912_344, 3_101_220, 41_280, 7_370_436
DIVISORS = {"-b": 1 / 1024, "-k": 1, "-m": 1024, "-g": 1024 * 1024}


def run(context: Context, argv: list[str]) -> Output:
    """`free [-b|-k|-m|-g|-h]`."""
    human = any(word in ("-h", "--human") for word in argv[1:])
    divisor = next((DIVISORS[word] for word in argv[1:] if word in DIVISORS), 1)

    def size(kib: int) -> str:
        if not human:
            return str(int(kib / divisor))
        return f"{kib / 1048576:.1f}Gi" if kib >= 1048576 else f"{kib // 1024}Mi" if kib else "0B"

    head = f"{'':7}{'total':>13}{'used':>12}{'free':>12}{'shared':>12}{'buff/cache':>12}{'available':>12}\n"
    memory = [TOTAL, USED, FREE, SHARED, CACHE, FREE + CACHE - SHARED]
    rows = [f"{'Mem:':7}" + "".join(f"{size(n):>{13 if i == 0 else 12}}" for i, n in enumerate(memory))]
    rows.append(f"{'Swap:':7}" + "".join(f"{size(0):>{13 if i == 0 else 12}}" for i in range(3)))
    return Output(head + "\n".join(rows) + "\n")
