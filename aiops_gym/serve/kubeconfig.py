"""The file that tells kubectl where the cluster is."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from aiops_gym.errors import BackendError

NAME = "kind-kind"
USER = "kind-kind"
MINE = "    server: http://"
"""A line that is in our files, and in none of a cluster with credentials: those are reached over https."""

TEXT = """\
apiVersion: v1
clusters:
- cluster:
{server}
  name: {name}
contexts:
- context:
    cluster: {name}
{namespace}    user: {user}
  name: {name}
current-context: {name}
kind: Config
preferences: {{}}
users:
- name: {user}
  user: {{}}
"""


def write(path: Path, url: str, namespace: str = "") -> None:
    """Write a kubeconfig, whole or not at all, for its owner only.

    Args:
        path: of the file.
        url: of the cluster.
        namespace: that commands are about which name none; "" leaves it at `default`.

    Raises BackendError where a kubeconfig of another cluster would be lost.
    """
    if path.exists() and not ours(path):
        raise BackendError(f"{path} is a file of another origin: it is left alone, name another one")
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = f"    namespace: {namespace}\n" if namespace else ""
    text = TEXT.format(server=MINE.replace("http://", url), name=NAME, user=USER, namespace=chosen)
    handle, temporary = tempfile.mkstemp(prefix=".kubeconfig-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def remove(path: Path, url: str) -> None:
    """Remove the kubeconfig of a server that is gone, unless it is another's by now."""
    if path.exists() and MINE.replace("http://", url) in path.read_text(encoding="utf-8"):
        path.unlink()


def ours(path: Path) -> bool:
    """Whether a file was written by `write`."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return MINE in text and "https://" not in text
