"""What `-o` asks for: `choose_printer(call)` reads the flags in `FLAGS` and gives a Printer, or None for plain text."""

from __future__ import annotations

from aiops_gym.kubectl.output.printers import FLAGS, Printer, choose_printer

__all__ = ["FLAGS", "Printer", "choose_printer"]
