"""Comparing two files, or two folders file by file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from posixpath import basename, dirname, join, normpath

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.diff import forms
from aiops_gym.shell.commands.diff.options import Options
from aiops_gym.sim.kernel.edits import Change, find_changes, group, show_unified

ROOM = 64_000_000
"""Columns of a screen times lines that are shown at most."""

PER_FILE = 1_000
"""Work of looking at two files of folders; see `Context.spend`."""

DEEPEST = 60
"""Folders inside each other."""


class Comparison:
    """What differs.

    Attributes:
        out, errors: what is printed.
        code: 0 when nothing differs, 1 when something does, 2 when something could not be compared.
    """

    def __init__(self, context: Context, options: Options) -> None:
        self.context, self.options = context, options
        self.out, self.errors, self.code = list[str](), list[str](), 0

    def compare(self, first: str, second: str) -> None:
        """Two names that were typed: of a file and a folder, the file in the folder that has its name."""
        kinds = [self._kind(name) for name in (first, second)]
        mixed = sorted(kinds) == ["directory", "file"]
        if mixed and "-" in (first, second):
            self._found(2, "diff: cannot compare '-' to a directory\n")
            return
        if mixed and kinds[0] == "file":
            second = join(second, basename(first))
        elif mixed:
            first = join(first, basename(second))
        missing = [name for name in (first, second) if not self._kind(name)]
        if missing and (mixed or len(missing) == 2 or "N" not in self.options.flags):
            for name in missing:
                self._found(2, f"diff: {name}: No such file or directory\n")
        elif "directory" in kinds and not mixed:
            self._folders(first, second, 0)
        else:
            self._files(first, second, "")

    def _kind(self, name: str) -> str:
        if name == "-":
            return "file"
        if not self.context.files.exists(name):
            return ""
        try:
            self.context.files.list(name)
        except OSError:
            return "file"
        return "directory"

    def _found(self, code: int, text: str = "") -> None:
        self.code = max(self.code, code)
        (self.errors if code == 2 else self.out).append(text)

    def _folders(self, first: str, second: str, depth: int) -> None:
        if normpath(first) == normpath(second) and self.options.style != "y" and "s" not in self.options.flags:
            return
        inside = [self.context.files.list(name) if self._kind(name) else () for name in (first, second)]
        names = {name for names in inside for name in names}
        for name in sorted(n for n in names if not any(fnmatchcase(n, p) for p in self.options.excluded)):
            paths = join(first, name), join(second, name)
            kinds = [self._kind(path) for path in paths]
            told = ["regular file" if kind == "file" else kind for kind in kinds]
            if self.context.spend(PER_FILE * (depth + 1)) < 0:
                self._found(2, "diff: memory exhausted\n")
                return
            listed = [name in names for names in inside]
            if not all(listed) and "N" not in self.options.flags:
                self._found(1, f"Only in {(second, first)[listed[0]]}: {name}\n")
            elif broken := [path for path, kind, is_in in zip(paths, kinds, listed, strict=True) if is_in and not kind]:
                self._found(2, "".join(f"diff: {path}: No such file or directory\n" for path in broken))
            elif all(kinds) and kinds[0] != kinds[1]:
                self._found(1, f"File {paths[0]} is a {told[0]} while file {paths[1]} is a {told[1]}\n")
            elif "directory" not in kinds:
                shown = [*self.options.labels[:2], *paths[len(self.options.labels) :]]
                self._files(*paths, f"diff{self.options.typed} {' '.join(shown)}\n")
            elif self._deep and any(map(self._loops, paths)):
                self._found(2, f"diff: {next(filter(self._loops, paths))}: recursive directory loop\n")
            elif self._deep and depth < DEEPEST:
                self._folders(*paths, depth + 1)
            elif not self._deep:
                self.out.append(f"Common subdirectories: {paths[0]} and {paths[1]}\n")

    def _loops(self, path: str) -> bool:
        """Whether a folder is a link to one in which it lies."""
        about = self.context.files.about(path)
        full = normpath(join(self.context.cwd, path))
        there = normpath(join(dirname(full), about.target)) if about and about.kind == "symlink" else ""
        return bool(there) and f"{full}/".startswith(join(there, ""))

    @property
    def _deep(self) -> bool:
        return "r" in self.options.flags

    def _files(self, first: str, second: str, above: str) -> None:
        """Two files; one that is not there is empty. `above` is printed before what is shown of them."""
        flags, style = self.options.flags, self.options.style
        try:
            texts = [self._read(name) for name in (first, second)]
        except OSError as error:
            self._found(2, f"diff: {error.filename or first}: {error.strerror or 'No such file or directory'}\n")
            return
        before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in texts)
        if style == "y" and self.options.width * (len(before) + len(after)) > ROOM:
            self._found(2, "diff: memory exhausted\n")
            return
        changes = self._changes(before, after)
        if changes and "\0" in "".join(texts) and "a" not in flags:
            self._found(1, f"Binary files {first} and {second} differ\n")
        elif changes and style == "q":
            self._found(1, f"Files {first} and {second} differ\n")
        elif changes:
            self._found(1, above)
            marks = {"u": ("---", "+++"), "c": ("***", "---")}.get(style, ())
            for place, (mark, name) in enumerate(zip(marks, (first, second), strict=False)):
                self.out.append(f"{mark} {self._heading(place, name)}\n")
            self.out += self._shown(before, after, changes)
        else:
            both = style == "y" and "suppress-common-lines" not in flags
            self.out += [above, *self._shown(before, after, changes)] if both else ()
            self.out += [f"Files {first} and {second} are identical\n"] if "s" in flags else ()

    def _read(self, name: str) -> str:
        if not self._kind(name):
            return ""
        text = self.context.stdin if name == "-" else self.context.files.read(name)
        return text.replace("\r\n", "\n") if "strip-trailing-cr" in self.options.flags else text

    def _heading(self, place: int, name: str) -> str:
        """A label, or a name and when the file was written."""
        if place < len(self.options.labels):
            return self.options.labels[place]
        about = self.context.files.about(name)
        time = about.time if about else self.context.cluster.now() if self._kind(name) else 0
        return f"{name}\t{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S.%f}000 +0000"

    def _changes(self, before: Sequence[str], after: Sequence[str]) -> Sequence[Change]:
        """Changes that count."""
        lines = self.options.lines if self.options.style in ("u", "c") else 0
        changes = find_changes(before, after, lines, self.context.spend, self._comparable)
        if "B" not in self.options.flags:
            return changes
        spaces = None if self.options.flags & set("wbZ") else "\n"
        blank = [[not line.strip(spaces) for line in side] for side in (before, after)]
        return [
            change
            for hunk in group(changes, lines if lines else -1)
            if not all(all(blank[0][c.start : c.end]) and all(blank[1][c.other_start : c.other_end]) for c in hunk)
            for change in hunk
        ]

    def _comparable(self, line: str) -> str:
        """What of a line counts."""
        flags = self.options.flags
        if "w" in flags:
            line = "".join(line.split())
        elif "b" in flags:
            line = re.sub(r"\s+", " ", line.rstrip())
        elif "Z" in flags:
            line = line.rstrip()
        return line.lower() if "i" in flags else line

    def _shown(self, before: Sequence[str], after: Sequence[str], changes: Sequence[Change]) -> Iterable[str]:
        options = self.options
        if options.style == "y":
            common = "none" if "suppress-common-lines" in options.flags else "left" * ("left-column" in options.flags)
            return forms.show_side_by_side(before, after, changes, options.width, common)
        if options.style in ("u", "c"):
            show = show_unified if options.style == "u" else forms.show_context
            return show(before, after, changes, options.lines)
        return forms.show_normal(before, after, changes)
