"""History and completion for a person who types, where the terminal can do it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import readline
except ImportError:  # Not on every platform.
    readline = None  # type: ignore[assignment]

WORDS = (
    *("kubectl", "get", "describe", "logs", "exec", "patch", "scale", "set", "rollout", "delete", "apply", "create"),
    *("label", "annotate", "top", "history", "undo", "restart", "status", "image", "env"),
    *("pods", "services", "deployments", "endpoints", "configmaps", "secrets", "events", "nodes", "namespaces"),
    *("persistentvolumeclaims", "persistentvolumes", "--namespace", "--all-namespaces", "--output", "--selector"),
    *("--sort-by", "--tail", "--previous", "--since"),
)

LINES = 1_000


@contextmanager
def offer_typing_aids(apis: Sequence[str]) -> Iterator[None]:
    """Completion of calls and commands, and a history that lasts, inside the `with` block."""
    if readline is None:
        yield
        return
    readline.set_completer(Completer([*(f"{name}(" for name in apis), *WORDS]))
    readline.set_completer_delims(" \t\n|;")
    readline.parse_and_bind("tab: complete")
    with suppress(OSError):
        readline.read_history_file(_history())
    try:
        yield
    finally:
        readline.set_history_length(LINES)
        with suppress(OSError):
            _history().parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(_history())


class Completer:
    """The readline protocol: the n-th word that begins so, then None."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def __call__(self, text: str, state: int) -> str | None:
        found = [word for word in self.words if word.startswith(text)]
        return found[state] if state < len(found) else None


def _history() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "aiops_gym" / "history"
