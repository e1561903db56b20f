"""Storage classes."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("storageclasses.storage.k8s.io",)
PURE = True
DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def describe(page: Page, found: Object, view: View) -> None:
    """Write all about a storage class."""
    annotations = found["metadata"].get("annotations") or {}
    meta.title(page, found, namespaced=False)
    page.line(f"IsDefaultClass:\t{'Yes' if any(annotations.get(key) == 'true' for key in DEFAULT) else 'No'}")
    shown = ",".join(f"{key}={value}" for key, value in sorted(annotations.items()))
    page.line(f"Annotations:\t{shown or '<none>'}")
    page.line(f"Provisioner:\t{found.get('provisioner', '')}")
    page.line(f"Parameters:\t{meta.format_pairs(found.get('parameters'))}")
    page.line(f"AllowVolumeExpansion:\t{found.get('allowVolumeExpansion', '<unset>')}")
    options = found.get("mountOptions") or ()
    page.line("MountOptions:" + ("" if options else "\t<none>"))
    page.rows([option] for option in options)
    for heading, field in (("ReclaimPolicy", "reclaimPolicy"), ("VolumeBindingMode", "volumeBindingMode")):
        if found.get(field):
            page.line(f"{heading}:\t{found[field]}")
