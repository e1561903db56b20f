"""How a kubectl command ends when it cannot do what was asked, and the text it then prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim.golang.literals import go_quote


class KubectlError(Exception):
    """The end of a command: `text` goes to the error stream, `code` is the exit code.

    Args:
        text: complete, with its `error: ` or whatever it begins with; "" prints nothing.
        code: exit code.

    Attributes:
        out: what is still printed to the output.
    """

    def __init__(self, text: str = "", code: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.out = ""

    @property
    def inner(self) -> str:
        """The text inside a list of several errors."""
        return self.text.removeprefix("error: ")


class Failure(KubectlError):
    """An error of kubectl itself: `error: <message>`, but one `error: ` is enough where the message has its own."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message if message.startswith("error: ") else f"error: {message}", code)
        self.message = message

    @property
    def inner(self) -> str:
        return self.message


class Misconfigured(KubectlError):
    """No client can be made.

    Args:
        named: a flag names what is not in the kubeconfig.
        once: a command ends with it before it looks at objects.
    """

    def __init__(self, text: str, named: bool = False, once: bool = False) -> None:
        super().__init__(text)
        self.named, self.once = named, once


class Unreachable(KubectlError):
    """No server answers.

    Args:
        server: where it was looked for.
        why: what a connection came to.
        patience: how long one waits for it, `32s`.
    """

    def __init__(self, text: str, server: str, why: str, patience: str) -> None:
        super().__init__(text)
        self.server, self.why, self.patience = server, why, patience

    def get(self, path: str) -> str:
        """What is said of one request."""
        return f'Get "{self.server}/{path}?timeout={self.patience}": {self.why}'


class UsageFailure(Failure):
    """A wrong command line; the dispatcher adds `See 'kubectl get -h' for help and examples`."""


class HelpFailure(Failure):
    """A wrong command line, told after the help of the command; "" is the help alone, and no error."""


class ServerError(KubectlError):
    """The API server refused: its `v1.Status`, printed the way kubectl does."""

    def __init__(self, status: Mapping[str, Any]) -> None:
        super().__init__(status_text(status))
        self.status = status

    @property
    def reason(self) -> str:
        """`NotFound`, `Conflict`, ... or ""."""
        return str(self.status.get("reason") or "")

    @property
    def message(self) -> str:
        """The server's words alone."""
        return str(self.status.get("message") or "")

    @property
    def inner(self) -> str:
        return standard_text(self.status)

    def about(self, verb: str, source: str) -> ServerError:
        """The same refusal, told with the file it happened on: `error when creating "x.yaml": ...`."""
        return ServerError({**self.status, "message": f"error when {verb} {go_quote(source)}: {self.message}"})


class Failures(KubectlError):
    """Several errors, one a line; a single one looks as if it were alone."""

    def __init__(self, errors: Sequence[KubectlError]) -> None:
        self.errors = list(errors)
        if len(self.errors) == 1:
            super().__init__(self.errors[0].text, self.errors[0].code)
        else:
            super().__init__("".join(f"{error.inner}\n" for error in self.errors))
        self.out = "".join(error.out for error in self.errors)


def gather(before: Sequence[KubectlError], work: Sequence[KubectlError]) -> list[KubectlError]:
    """What was met on the way to the objects and with them: the former is one error in a list with the latter."""
    if not before or not work:
        return [*before, *work]
    return [*work, join(before)]


def join(errors: Sequence[KubectlError]) -> KubectlError:
    """Several errors as one in a list of others."""
    plain = [error.message if isinstance(error, ServerError) else error.inner for error in errors]
    texts = list(dict.fromkeys(plain))
    return KubectlError(f"[{', '.join(texts)}]" if len(texts) > 1 else texts[0])


def standard_text(status: Mapping[str, Any]) -> str:
    """A Status in one line: `Error from server (NotFound): ...`."""
    reason, message = status.get("reason") or "", status.get("message") or ""
    if reason == "Unauthorized":
        return f"error: You must be logged in to the server ({message})"
    return f"Error from server ({reason}): {message}" if reason else f"Error from server: {message}"


def status_text(status: Mapping[str, Any]) -> str:
    """A Status as the end of a command; an invalid object is told field by field."""
    if status.get("reason") != "Invalid":
        return standard_text(status)
    details, message = status.get("details"), str(status.get("message") or "")
    text = "The request is invalid"
    if not details:
        return f"{text}: {message}" if message else text
    causes = details.get("causes") or []
    if details.get("kind") or details.get("name"):
        text = f"The {details.get('kind', '')} {go_quote(str(details.get('name', '')))} is invalid"
    elif message and not causes:
        text += f": {message}"
    if not causes:
        return text
    lines = list(dict.fromkeys(f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes))
    if len(lines) == 1:
        return f"{text}: {lines[0]}\n"
    return f"{text}: \n" + "".join(f"* {line}\n" for line in lines)
