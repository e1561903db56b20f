"""`df`: disks of the machine."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

DISKS = (
    ("overlay", 101_430_960, 38_114_732, "/"),
    ("tmpfs", 65_536, 0, "/dev"),
    ("shm", 65_536, 0, "/dev/shm"),
    ("/dev/sda1", 101_430_960, 38_114_732, "/var"),
    ("tmpfs", 8_192_000, 12_288, "/run"),
)
"""Device, kilobytes, kilobytes in use, and where it is mounted: made up, as a small machine has them."""


def run(context: Context, argv: list[str]) -> Output:
    """`df [-h] [-k] [-m] [PATH...]`."""
    human = any(word.startswith("-") and "h" in word and not word.startswith("--") for word in argv[1:])
    paths = [word for word in argv[1:] if not word.startswith("-")]
    missing = [path for path in paths if not context.files.exists(path)]
    if missing:
        return Output("", f"df: {missing[0]}: No such file or directory\n", 1)
    disks = DISKS[:1] if paths else DISKS
    size_word = "Size" if human else "1K-blocks"
    rows = [("Filesystem", size_word, "Used", "Avail" if human else "Available", "Use%", "Mounted on")]
    for name, total, used, where in disks:
        numbers = (total, used, total - used)
        texts = [_human(n) if human else str(n) for n in numbers]
        rows.append((name, texts[0], texts[1], texts[2], f"{-(-100 * used // total)}%", where))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in range(1, 5)]
        lines.append(" ".join(cells) + f" {row[5]}\n")
    return Output("".join(lines))


def _human(kib: int) -> str:
    for unit, size in (("G", 1 << 20), ("M", 1 << 10)):
        if kib >= size:
            value = kib / size
            return f"{value:.1f}{unit}" if value < 10 else f"{round(value)}{unit}"
    return f"{kib}K" if kib else "0"
