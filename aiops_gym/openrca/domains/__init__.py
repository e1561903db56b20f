"""The monitored companies, one a file, found by scanning this folder.

>>> list_domains()
('bank', 'market', 'telecom')
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from aiops_gym.errors import unknown
from aiops_gym.scan import list_modules as modules
from aiops_gym.scan import scan_one

if TYPE_CHECKING:
    from aiops_gym.openrca.model import Domain


@cache
def list_domains() -> tuple[str, ...]:
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
    for each in list_domains():
        domain = _load(each)
        for cloudbed, folder in domain.folders.items():
            if cloudbed and wanted in (folder.lower(), cloudbed):
                return domain, cloudbed
        if wanted == each:
            return domain, ""
    raise unknown("domain", name, list_domains())


@cache
def _load(name: str) -> Domain:
    domain: Domain = scan_one(__name__, name, "domain")
    return domain
