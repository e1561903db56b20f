"""What `-o` asks for: `printer(call)` reads the flags in `FLAGS` and gives a Printer, or None for plain text."""

from __future__ import annotations

from aiops_gym.kubectl.output.printers import FLAGS, Printer, printer

__all__ = ["FLAGS", "Printer", "printer"]
