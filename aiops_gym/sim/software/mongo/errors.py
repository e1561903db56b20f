"""What a MongoDB server refuses, with the codes and names of its own."""

from __future__ import annotations

from aiops_gym.errors import AiopsGymError

NAMES = {
    2: "BadValue",
    6: "HostUnreachable",
    9: "FailedToParse",
    11: "UserNotFound",
    13: "Unauthorized",
    14: "TypeMismatch",
    18: "AuthenticationFailed",
    26: "NamespaceNotFound",
    27: "IndexNotFound",
    85: "IndexOptionsConflict",
    86: "IndexKeySpecsConflict",
    31: "RoleNotFound",
    48: "NamespaceExists",
    59: "CommandNotFound",
    73: "InvalidNamespace",
    76: "NoReplicationEnabled",
    80: "InvalidRoleModification",
    11000: "DuplicateKey",
    40324: "Location40324",
    51002: "Location51002",
    51003: "Location51003",
}


class MongoError(AiopsGymError):
    """A command that failed.

    Attributes:
        code: number, 13.
        message: as in `errmsg`.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def name(self) -> str:
        """As in `codeName`, `Unauthorized`."""
        return NAMES.get(self.code, f"Location{self.code}")


def unauthenticated(command: str) -> MongoError:
    """Nobody has logged in on this connection."""
    return MongoError(13, f"command {command} requires authentication")
