"""The monitored companies, one a file, found by scanning this folder.

>>> names()
('bank', 'market', 'telecom')
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from aiops_gym.errors import unknown
from aiops_gym.scan import names as modules
from aiops_gym.scan import one

if TYPE_CHECKING:
    from aiops_gym.openrca.model import Domain


@cache
def names() -> tuple[str, ...]:
    """Names of the domains, sorted."""
    return modules(__name__)


def find(name: str) -> tuple[Domain, str]:
    """A domain and a cloudbed by what people call them; the cloudbed is "" where none is named.

    Raises:
        ArgumentError: there is none of this name.

    >>> [(domain.title, cloudbed) for domain, cloudbed in map(find, ("bank", "Market/cloudbed-2", "openrca_telecom"))]
    [('Bank', ''), ('Market', 'cloudbed-2'), ('Telecom', '')]
    """
    wanted = str(name).strip().lower().removeprefix("openrca_").replace("-cloudbed", "/cloudbed")
    for each in names():
        domain = _load(each)
        for cloudbed, folder in domain.folders.items():
            if cloudbed and wanted in (folder.lower(), cloudbed):
                return domain, cloudbed
        if wanted == each:
            return domain, ""
    raise unknown("domain", name, names())


@cache
def _load(name: str) -> Domain:
    domain: Domain = one(__name__, name, "domain")
    return domain
