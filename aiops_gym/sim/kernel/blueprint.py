"""What never changes in a world: nodes, images, traffic. Shared by all forks, never part of a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Binary:
    """An executable in an image: which kind of program it is, and with which settings compiled in.

    Attributes:
        program: module name in `sim/software/programs/`.
        params: what distinguishes this binary from others of its kind; JSON data.
        path: where it lies, when that is not the first folder of the image's PATH.
    """

    program: str
    params: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class Image:
    """What the registry and the container runtime know of an image.

    Attributes:
        size: bytes to pull.
        pull: how a pull ends: `ok`, `not_found`, `no_such_host`, `denied`.
        cached: already on every node when the cluster starts.
        entrypoint: the image's ENTRYPOINT; a container's `command` replaces it.
        cmd: the image's CMD; a container's `args` (or a `command`) replaces it.
        binaries: executables on its PATH, by name.
        files: text files in the image, by path.
        shell: whether it has `/bin/sh` and the usual small tools.
        tools: which commands it has besides those of every image with a shell, `curl`; None for all there are.
        sh: which shell that is and whose tools: `dash` (with GNU coreutils) or `busybox`.
        env: environment set by the image.
        workdir: where its processes start.
        digest: 64 hex digits.
    """

    size: int = 50_000_000
    pull: str = "ok"
    cached: bool = False
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    binaries: Mapping[str, Binary] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    shell: bool = True
    tools: tuple[str, ...] | None = None
    sh: str = "dash"
    env: Mapping[str, str] = field(default_factory=dict)
    workdir: str = "/"
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One kind of request that users send, and its share of the load.

    Attributes:
        name: as in reports, `search`.
        weight: share of all requests; the weights of an app add up to 1.
        service: the Kubernetes Service that users call.
        port: its port.
        handler: what is asked of the program behind it, `HTTP GET /hotels`.
        tags: of its root span.
    """

    name: str
    weight: float
    service: str
    port: int
    handler: str
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    """All that is given about a world before it starts.

    Attributes:
        app: id of the application, also in snapshots.
        namespace: of the application.
        variant: which of the healthy baselines.
        start: Unix milliseconds at which the cluster is created.
        images: by the name written in manifests, `mongo:4.4.6`.
        operations: what users ask of the application.
        rate: requests per second of all operations together.
    """

    app: str
    namespace: str
    variant: int
    start: int
    images: Mapping[str, Image]
    operations: tuple[Operation, ...] = ()
    rate: float = 0.0
