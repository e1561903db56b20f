"""Secrets, with the sizes of what they hold."""

from __future__ import annotations

from base64 import b64decode

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("secrets",)
PURE = True
EVENTS = False
TOKEN = "kubernetes.io/service-account-token"


def describe(page: Page, secret: Object, view: View) -> None:
    """Write a secret without its values; only a service account's token is shown."""
    meta.title(page, secret)
    meta.write_metadata(page, secret)
    page.extend(["", f"Type:\t{secret.get('type', '')}", "", "Data", "===="])
    for key, value in sorted((secret.get("data") or {}).items()):
        data = b64decode(value or "")
        shown = data.decode() if key == "token" and secret.get("type") == TOKEN else f"{len(data)} bytes"
        page.line(f"{key}:\t{shown}")
