"""What a user says of the cluster: which context, where its telemetry is, and what may be done to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from aiops_gym.errors import ArgumentError, BackendError, unknown


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A real cluster, as `gym.make(..., cluster={...})` names it.

    Attributes:
        context: of the kubeconfig; never guessed.
        kubeconfig: file, "" for the usual one.
        prometheus: base URL; "" asks through the API server for the Service that `backends.servers.PORTS` names.
        jaeger: likewise.
        allow_shared: whether workloads of others may run in the cluster.
        clock: control URL of a served world whose clock is the cluster's; "" for the wall's.
        clock_token: for it.
        workload: `job` has a Job in the cluster make users' requests; `none` where somebody does already.
        chart: a Helm chart in place of the catalogue's manifests, as `helm template` takes it: a folder, `repo/name`,
            or an address; "" for none.
        release: by which name it is rendered, "" for that of the application.
        values: for it: a mapping, or the path of a file.
        patience: seconds for which an API server may be gone before the episode ends.
        ready: seconds that the application may take to be ready.
    """

    context: str
    kubeconfig: str = ""
    prometheus: str = ""
    jaeger: str = ""
    allow_shared: bool = False
    clock: str = ""
    clock_token: str = ""
    workload: str = "job"
    chart: str = ""
    release: str = ""
    values: Mapping[str, Any] | str = ""
    patience: float = 120.0
    ready: float = 1_200.0


def read_settings(context: str | None, given: Mapping[str, Any] | None) -> Settings:
    """Settings from the arguments of an environment. Raises ArgumentError, or BackendError where none is named."""
    if not context:
        raise BackendError("backend='kubernetes' needs context=..., a context of your kubeconfig: none is guessed")
    known = {field.name: field for field in fields(Settings)}
    for name in given or {}:
        if name not in known or name == "context":
            raise unknown("setting of a cluster", name, known.keys() - {"context"})
    found = Settings(context=context, **dict(given or {}))
    if found.workload not in ("job", "none"):
        raise ArgumentError(f"workload is 'job' or 'none', not {found.workload!r}")
    return found
