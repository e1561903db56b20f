"""`helm`: the applications here were not installed with it."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.shell.words import words
from aiops_gym.types import Output

HEADER = "NAME\tNAMESPACE\tREVISION\tUPDATED\tSTATUS\tCHART\tAPP VERSION\n"
VERSION = (
    'version.BuildInfo{Version:"v3.16.4", GitCommit:"7877b45b63f95635153b29a42c0c2f4273ec45ca", '
    'GitTreeState:"clean", GoVersion:"go1.22.7"}\n'
)
NAMED = words("status get history rollback uninstall delete del un upgrade test")
VALUES = words(
    """
    -n --namespace -o --output -f --values --set --kube-context --kubeconfig --version -l
    """
)


def run(context: Context, argv: list[str]) -> Output:
    """`helm list`, `status` and so on, for a cluster without releases."""
    words, rest, form = list[str](), argv[1:], "table"
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if name in VALUES:
            value = value or (rest.pop(0) if rest else "")
            form = value if name in ("-o", "--output") else form
        elif not word.startswith("-"):
            words.append(word)
    verb = words[0] if words else ""
    if verb in ("list", "ls"):
        return Output({"json": "[]\n", "yaml": "[]\n"}.get(form, HEADER))
    if verb == "version":
        return Output(VERSION)
    if verb == "repo":
        if words[1:2] == ["list"]:
            return Output("", "Error: no repositories to show\n", 1)
        return _offline("https://charts.example.com") if words[1:2] in (["add"], ["update"]) else Output(_USAGE)
    if verb in NAMED:
        if len(words) < 2 + (verb == "get"):
            return Output("", f'Error: "helm {verb}" requires at least 1 argument\n', 1)
        text = "uninstall: Release not loaded: " + words[1] if verb in ("uninstall", "delete", "del", "un") else ""
        text = f"{text}: release: not found" if text else f'"{words[1]}" has no deployed releases'
        return Output("", f"Error: {'release: not found' if verb in ('status', 'get', 'history') else text}\n", 1)
    if verb in ("install", "template", "pull", "show", "search"):
        chart = words[-1] if len(words) > 1 else ""
        return Output("", f"Error: repo {chart.partition('/')[0] or 'chart'} not found\n", 1)
    if not verb or verb == "help":
        return Output(_USAGE)
    return Output("", f'Error: unknown command "{verb}" for "helm"\nRun \'helm --help\' for usage.\n', 1)


def _offline(url: str) -> Output:
    message = f"dial tcp: lookup {url.partition('//')[2]}: Temporary failure in name resolution"
    return Output("", f'Error: looks like "{url}" is not a valid chart repository or cannot be reached: {message}\n', 1)


_USAGE = """The Kubernetes package manager

Usage:
  helm [command]

Available Commands:
  get         download extended information of a named release
  history     fetch release history
  install     install a chart
  list        list releases
  repo        add, list, remove, update, and index chart repositories
  rollback    roll back a release to a previous revision
  status      display the status of the named release
  uninstall   uninstall a release
  upgrade     upgrade a release
  version     print the client version information
"""
