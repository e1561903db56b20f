"""`wget`: a file by HTTP from the host."""

from __future__ import annotations

from posixpath import basename

from aiops_gym.shell.commands import curl
from aiops_gym.shell.context import Context
from aiops_gym.types import Output

CODES = {6: 4, 7: 4, 28: 4, 22: 8}
"""Exit codes of curl -> those of wget: network failure, server error."""


def run(context: Context, argv: list[str]) -> Output:
    """`wget [-q] [-O FILE] [-T SECONDS] URL`."""
    rest, target, seconds, urls, quiet = argv[1:], "", "", list[str](), False
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if name in ("-O", "--output-document", "-T", "--timeout", "-t", "--tries", "--header", "--post-data"):
            value = value or (rest.pop(0) if rest else "")
            target = value if name in ("-O", "--output-document") else target
            seconds = value if name in ("-T", "--timeout") else seconds
        elif word.startswith(("-qO", "-O")):
            target, quiet = word.partition("O")[2] or (rest.pop(0) if rest else ""), quiet or word[1] == "q"
        elif word.startswith("-"):
            quiet = quiet or word in ("-q", "--quiet", "-nv", "--no-verbose")
        else:
            urls.append(word)
    if not urls:
        return Output("", "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n", 1)
    limit = ["-m", seconds] if seconds else []
    answer = curl.run(context, ["curl", "-sSf", *limit, urls[0]])
    if answer.code:
        return Output("", "" if quiet else f"wget: {answer.stderr[6:].partition(') ')[2]}", CODES.get(answer.code, 1))
    if target == "-":
        return Output(answer.stdout)
    target = target or basename(urls[0].partition("?")[0].partition("://")[2].partition("/")[2]) or "index.html"
    context.files.write(target, answer.stdout)
    return Output("", "" if quiet else f"‘{target}’ saved [{len(answer.stdout)}]\n")
