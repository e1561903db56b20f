"""Service accounts, with the secrets that belong to them."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("serviceaccounts",)
TOKEN = "kubernetes.io/service-account-token"
ACCOUNT, ACCOUNT_UID = "kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"


def describe(page: Page, account: Object, view: View) -> None:
    """Write a service account; secrets that do not exist are marked."""
    metadata = account["metadata"]
    meta.title(page, account)
    meta.write_metadata(page, account)
    secrets = view.list("secrets", metadata.get("namespace", ""))
    existing = {secret["metadata"]["name"] for secret in secrets}
    owner = (metadata["name"], metadata.get("uid"))
    tokens = [s["metadata"]["name"] for s in secrets if s.get("type") == TOKEN and _owner(s) == owner]
    pulls = [item.get("name", "") for item in account.get("imagePullSecrets") or ()]
    mounts = [item.get("name", "") for item in account.get("secrets") or ()]
    for heading, names, checked in (
        ("Image pull secrets:", pulls, True),
        ("Mountable secrets: ", mounts, True),
        ("Tokens:            ", tokens, False),
    ):
        if not names:
            page.line(f"{heading}\t<none>")
        for number, name in enumerate(names):
            start = " " * len(heading) if number else heading
            page.line(f"{start}\t{name}" + (" (not found)" if checked and name not in existing else ""))


def _owner(secret: Object) -> tuple[str | None, str | None]:
    annotations = secret["metadata"].get("annotations") or {}
    return annotations.get(ACCOUNT), annotations.get(ACCOUNT_UID)
