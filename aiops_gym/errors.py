"""What can go wrong, and whose it is.

    AiopsGymError
    ├── ToolError       the agent's mistake: becomes an observation
    ├── CatalogError    a problem, app or fault that does not exist or is not well made
    │   └── ArgumentError   whoever asked for it by name made a mistake
    ├── SnapshotError   bytes that this version cannot continue from
    └── BackendError    the world broke, or cannot do what was asked of it

Everything else that is raised is a bug of ours and ends the run.
"""

from __future__ import annotations


class AiopsGymError(Exception):
    """Base of everything this package raises on purpose; made from one string, so that it survives process borders."""


class ToolError(AiopsGymError):
    """The agent's mistake: what was wrong, and what would be right.

    Attributes:
        code: one of `parse`, `unknown_api`, `arguments`, `blocked`, `timeout`, `submission`; shown as `info["error"]`,
            where `wall_clock` and nothing are possible too.
    """

    def __init__(self, message: str, code: str = "arguments") -> None:
        super().__init__(message)
        self.code = code


class CatalogError(AiopsGymError):
    """A name that the catalogue does not have, or an entry that breaks the catalogue's rules."""


class ArgumentError(CatalogError):
    """An argument that names what there is not, or two that do not fit: the mistake of whoever asks."""


class SnapshotError(AiopsGymError):
    """Bytes that are no snapshot, or one of another version."""


class BackendError(AiopsGymError):
    """The world broke, or cannot express what was asked of it: never the agent's fault."""
