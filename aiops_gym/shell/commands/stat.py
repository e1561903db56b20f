"""`stat`: what is known of a file, with times of the cluster's clock."""

from __future__ import annotations

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.commands.ls import format_mode
from aiops_gym.types import Output

KINDS = {"file": "regular file", "directory": "directory", "symlink": "symbolic link"}


def run(context: Context, argv: list[str]) -> Output:
    """`stat [-c FORMAT|--format=FORMAT|--printf=FORMAT] FILE...`."""
    rest, form, paths, end = argv[1:], "", list[str](), "\n"
    while rest:
        word = rest.pop(0)
        if word in ("-c", "--format", "--printf") and rest:
            form = rest.pop(0)
        elif word.startswith(("--format=", "--printf=", "-c")):
            form = word.partition("=")[2] if word.startswith("--") else word[2:]
        elif not word.startswith("-"):
            paths.append(word)
        end = "" if word.startswith("--printf") else end
    if not paths:
        return Output("", "stat: missing operand\nTry 'stat --help' for more information.\n", 1)
    texts, errors = list[str](), list[str]()
    for path in paths:
        about = context.files.about(path)
        if about is None:
            errors.append(f"stat: cannot statx '{path}': No such file or directory\n")
        else:
            texts.append(_formatted(form, path, about) + end if form else _full(path, about))
    return Output("".join(texts), "".join(errors), 1 if errors else 0)


def _kind(about: FileInfo) -> str:
    return "regular empty file" if about.kind == "file" and not about.size else KINDS[about.kind]


def _formatted(form: str, path: str, about: FileInfo) -> str:
    values = {
        "n": path,
        "N": f"'{path}'" + (f" -> '{about.target}'" if about.target else ""),
        "s": str(about.size),
        "a": f"{about.mode:o}",
        "A": format_mode(about),
        "F": _kind(about),
        "U": "root",
        "G": "root",
        "u": "0",
        "g": "0",
        "h": "1",
        "b": str(-(-about.size // 512)),
        "y": render(about.time, "%F %T.%N %z"),
        "Y": str(int(about.time)),
        "%": "%",
    }
    values |= {"x": values["y"], "z": values["y"], "w": "-", "X": values["Y"], "Z": values["Y"], "W": "0"}
    text, index = [], 0
    escapes = form.replace("\\n", "\n").replace("\\t", "\t")
    while index < len(escapes):
        letter = escapes[index + 1 : index + 2]
        if escapes[index] == "%" and letter in values:
            text.append(values[letter])
            index += 2
        else:
            text.append(escapes[index])
            index += 1
    return "".join(text)


def _full(path: str, about: FileInfo) -> str:
    time = render(about.time, "%F %T.%N %z")
    name = f"{path} -> {about.target}" if about.target else path
    inode = 1_048_576 + sum(path.encode()) % 65_536
    return (
        f"  File: {name}\n"
        f"  Size: {about.size:<10}\tBlocks: {-(-about.size // 4096) * 8:<10} IO Block: 4096   {_kind(about)}\n"
        f"Device: 0,45\tInode: {inode:<11} Links: {2 if about.kind == 'directory' else 1}\n"
        f"Access: ({about.mode:04o}/{format_mode(about)})  Uid: (    0/    root)   Gid: (    0/    root)\n"
        f"Access: {time}\nModify: {time}\nChange: {time}\n Birth: {time}\n"
    )
