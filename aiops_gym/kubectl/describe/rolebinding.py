"""Role bindings and cluster role bindings."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io")
PURE = True
EVENTS = False


def describe(page: Page, binding: Object, view: View) -> None:
    """Write who is given which role."""
    role = binding.get("roleRef") or {}
    meta.title(page, binding, namespaced=False)
    meta.write_metadata(page, binding)
    page.line("Role:")
    page.line(f"Kind:\t{role.get('kind', '')}", 1)
    page.line(f"Name:\t{role.get('name', '')}", 1)
    page.line("Subjects:")
    page.rows([("Kind", "Name", "Namespace"), ("----", "----", "---------")])
    page.rows((s.get("kind", ""), s.get("name", ""), s.get("namespace", "")) for s in binding.get("subjects") or ())
