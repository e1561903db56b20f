"""`ls`: files as GNU ls lists them where no terminal is, with times of the cluster's clock."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import join

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.shell.commands.date import render
from aiops_gym.types import Output

KNOWN = frozenset("1aAlhtrSRdFpigonsCxkuUcHLNQqvXBbGmwT")
LONG = {
    "--all": "a",
    "--almost-all": "A",
    "--human-readable": "h",
    "--reverse": "r",
    "--recursive": "R",
    "--directory": "d",
    "--classify": "F",
    "--full-time": "lf",
    "--no-group": "o",
    "--inode": "i",
    "--size": "s",
}
HALF_YEAR = 15_778_476
"""Seconds, as GNU ls counts them (half of 365.2425 days): older files show the year and not the time."""

KINDS = {"file": "-", "directory": "d", "symlink": "l"}


@dataclass(frozen=True, slots=True)
class Options:
    """Letters of the flags, and the format of times, "" for the usual one."""

    flags: frozenset[str]
    times: str = ""


def run(context: Context, argv: list[str]) -> Output:
    """`ls [-1aAlhtrSRdFp] [--full-time] [--time-style=STYLE] [PATH...]`."""
    letters, times, paths = "", "", list[str]()
    for index, word in enumerate(argv[1:], 1):
        if word == "--":
            paths += argv[index + 1 :]
            break
        if word.startswith("--time-style="):
            style = word[13:]
            times = {"long-iso": "%F %H:%M", "full-iso": "%F %T.%N %z", "iso": "%m-%d %H:%M"}.get(style, style[1:])
        elif word.startswith("--sort="):
            letters += {"time": "t", "size": "S", "none": "U"}.get(word[7:], "")
        elif word in LONG:
            letters += LONG[word]
        elif word.startswith(("--color", "--group-directories-first", "--format", "--indicator-style", "--block-size")):
            continue
        elif word.startswith("--"):
            return _wrong(f"unrecognized option '{word}'")
        elif word.startswith("-") and word != "-":
            letters += word[1:]
        else:
            paths.append(word)
    unknown = [letter for letter in letters if letter not in KNOWN and letter != "f"]
    if unknown:
        return _wrong(f"invalid option -- '{unknown[0]}'")
    if "f" in letters and "l" in letters and not times:
        times = "%F %T.%N %z"
    flags = set(letters) | ({"l"} if set(letters) & {"n", "g", "o"} else set())
    return _list(context, paths or ["."], Options(frozenset(flags), times))


def _wrong(message: str) -> Output:
    return Output("", f"ls: {message}\nTry 'ls --help' for more information.\n", 2)


def _list(context: Context, paths: list[str], options: Options) -> Output:
    errors, files, folders = list[str](), list[tuple[str, FileInfo]](), list[str]()
    for path in paths:
        about = _followed(context, path, options)
        if about is None:
            errors.append(f"ls: cannot access '{path}': No such file or directory\n")
        elif about.kind == "directory" and "d" not in options.flags:
            folders.append(path)
        else:
            files.append((path, about))
    blocks = ["".join(_lines(context, _sorted(files, options), options))] if files else []
    titled = len(paths) > 1 or "R" in options.flags
    for folder in sorted(folders):
        blocks += _folder(context, folder, options, titled)
    return Output("\n".join(blocks), "".join(errors), 2 if errors else 0)


def _followed(context: Context, path: str, options: Options) -> FileInfo | None:
    about = context.files.about(path)
    steps = 0
    while about is not None and about.kind == "symlink" and not options.flags & {"l", "d", "F"} and steps < 8:
        path = join(path.rpartition("/")[0], about.target)
        about, steps = context.files.about(path), steps + 1
    return about


def _folder(context: Context, folder: str, options: Options, titled: bool) -> list[str]:
    flags = options.flags
    found_here = context.files.entries(folder)
    entries = [(name, about) for name, about in found_here if flags & {"a", "A"} or not name.startswith(".")]
    shown = _sorted(entries, options)
    if "a" in flags:
        dots = [(dot, context.files.about(join(folder, dot))) for dot in (".", "..")]
        shown = [(dot, about) for dot, about in dots if about is not None] + shown
    text = f"{folder}:\n" if titled else ""
    if "l" in flags or "s" in flags:
        blocks = sum(_blocks(about) for _, about in shown)
        text += f"total {format_size(blocks * 1024) if 'h' in flags else blocks}\n"
    text += "".join(_lines(context, shown, options))
    found = [text]
    if "R" in flags:
        for name, about in _sorted(entries, options):
            if about.kind == "directory":
                found += _folder(context, join(folder, name), options, True)
    return found


def _sorted(entries: list[tuple[str, FileInfo]], options: Options) -> list[tuple[str, FileInfo]]:
    entries = sorted(entries, key=lambda entry: entry[0])
    if "t" in options.flags:
        entries.sort(key=lambda entry: -entry[1].time)
    elif "S" in options.flags:
        entries.sort(key=lambda entry: -entry[1].size)
    return entries[::-1] if "r" in options.flags else entries


def _lines(context: Context, entries: list[tuple[str, FileInfo]], options: Options) -> list[str]:
    flags = options.flags
    if "l" not in flags:
        return [
            f"{_blocks(about)} {name}\n" if "s" in flags else f"{_marked(name, about, flags)}\n"
            for name, about in entries
        ]
    sizes = [format_size(about.size) if "h" in flags else str(about.size) for _, about in entries]
    width = max((len(size) for size in sizes), default=0)
    now = context.cluster.now()
    lines = []
    for (name, about), size in zip(entries, sizes, strict=True):
        links = 2 if about.kind == "directory" else 1
        owner = "0" if "n" in flags else "root"
        owners = " ".join([owner] * (2 - ("g" in flags) - ("o" in flags)))
        form = options.times or ("%b %e %H:%M" if 0 <= now - about.time < HALF_YEAR else "%b %e  %Y")
        end = f" -> {about.target}" if about.kind == "symlink" else ""
        label = _marked(name, about, flags)
        lines.append(f"{format_mode(about)} {links} {owners} {size:>{width}} {render(about.time, form)} {label}{end}\n")
    return lines


def _marked(name: str, about: FileInfo, flags: frozenset[str]) -> str:
    if about.kind == "directory" and flags & {"F", "p"}:
        return f"{name}/"
    if "F" in flags:
        return f"{name}@" if about.kind == "symlink" else f"{name}*" if about.mode & 0o111 else name
    return name


def format_mode(about: FileInfo) -> str:
    """The ten letters of a mode.

    >>> format_mode(FileInfo("directory", 0o1777, 0, 0.0))
    'drwxrwxrwt'
    """
    letters = ["rwxrwxrwx"[i] if about.mode & (0o400 >> i) else "-" for i in range(9)]
    if about.mode & 0o1000:
        letters[8] = "t" if about.mode & 1 else "T"
    return KINDS.get(about.kind, "-") + "".join(letters)


def _blocks(about: FileInfo) -> int:
    """Kibibytes on a disk of 4 KiB blocks."""
    return 0 if about.kind == "symlink" else -(-about.size // 4096) * 4


def format_size(size: int) -> str:
    """A size as `ls -h` and `du -h` print it, rounded up.

    >>> format_size(4096), format_size(1_500_000)
    ('4.0K', '1.5M')
    """
    value = float(size)
    for unit in ("", "K", "M", "G"):
        if value < 1024 or unit == "G":
            if not unit:
                return str(size)
            up = -(-int(value * 10 * 4096) // 4096) / 10
            return f"{up:.1f}{unit}" if up < 10 else f"{-(-int(value * 4096) // 4096)}{unit}"
        value /= 1024
    return str(size)
