"""The rows of the tables that many rooms read, field by field; `World.table` gives each table with its own rows.

A row is JSON data that is replaced, never changed. What only one module reads needs no type here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from aiops_gym.types import Json


class Exit(TypedDict):
    """How a process ended: exit code, reason as a status shows it, ms, and the id of its container."""

    code: int
    reason: str
    at: int
    id: str


class Instance(TypedDict):
    """One run of a container; a row of `ended`, by container id, for an hour after its end.

    Attributes:
        pod: key of its pod; `uid` its uid; `container` the name; `node` where it runs.
        image: as the container names it.
        started, ended: ms; `ended` is 0 while it runs.
        program: kind of program; `params` what is compiled into it.
        state: what the program remembers; nothing once it has ended.
    """

    pod: str
    uid: str
    container: str
    node: str
    image: str
    started: int
    ended: int
    program: str
    params: Mapping[str, Json]
    state: Mapping[str, Json]


class Process(Instance):
    """A row of `processes`, and of `previous` (the instance before), by `pod uid/container`.

    Attributes:
        id: of the container, 64 hexadecimal digits.
        argv: final command line; `wrapped`: the image's entry point script ran first.
        env: environment; `ip` of the pod.
        attempt: which start of this container it is, from 0.
        ports: on which it listens.
        log: lines that it has stored, each [ms, text].
        running: whether it does; `exit`: how it ended, None while it runs.
        told: kind of the heap entry that tells of its end whoever started it; the kubelet's where it does not say.
    """

    id: str
    argv: list[str]
    wrapped: bool
    env: Mapping[str, str]
    ip: str
    attempt: int
    ports: list[int]
    log: list[Json]
    running: bool
    exit: Exit | None
    told: NotRequired[str]


class ContainerRecord(TypedDict):
    """What a kubelet knows of one container of a pod.

    Attributes:
        state: "" before it was ever created, then running or exited.
        id, image: of the instance; `restarts` before it.
        started, ended: ms; `code`, `reason`, `message` of its end.
        last: the instance before this one, as a terminated state.
        why: [reason, message] for which it could not be started lately.
        ready, up: what probes found (without a probe: true while it runs).
        doom: why it must be killed.
        hook: until when (ms, -1 = for ever) the command before its end would run.
        killed: whether the sync that is under way has killed it.
        last_ended: when the instance before ended (ms).
        pull: ms that the pull takes, and of that waiting.
        probes: state of each probe.
    """

    state: str
    id: str
    image: str
    restarts: int
    started: int
    ended: int
    code: int
    reason: str
    message: str
    last: Json
    why: Json
    ready: bool
    up: bool
    doom: str
    hook: int
    killed: bool
    last_ended: int
    pull: Sequence[int]
    probes: Mapping[str, Json]


class PodRecord(TypedDict):
    """A row of `kubelet`, by pod uid: what the kubelet of its node remembers of a pod.

    Attributes:
        key, node: of the pod; `since` when the worker first saw it (ms).
        ip, sandbox: address, and when its sandbox was made (ms, 0 = not yet).
        mounted: whether its volumes are there; `volumes`: name -> [delay, next] of failed mounts (ms).
        busy: the step under way, "" if idle; `turn`: of the planned step or sync.
        next: time of the planned sync, 0 = none; `again`: time of a sync wanted while busy, 0 = none.
        failed: whether something in this sync failed.
        dying: whether it is being deleted; `grace`: seconds that its deletion gives it.
        ending: None, or reason and message with which the pod fails as a whole.
        resume: None, or names of the containers to go on with once a container whose hook has failed is dead.
        killing: names of containers that the worker waits for.
        queue: sidecar -> [since, ready, grace] of those of them that wait for their turn (ms, ms, s).
        backoff: key -> [delay, updated] in ms (client-go `flowcontrol.Backoff`).
        containers: by name.
    """

    key: str
    node: str
    since: int
    ip: str
    sandbox: int
    mounted: bool
    volumes: Mapping[str, Json]
    busy: str
    turn: int
    next: int
    again: int
    failed: bool
    dying: bool
    grace: int
    ending: Json
    resume: Json
    killing: Sequence[str]
    queue: Mapping[str, Json]
    backoff: Mapping[str, Json]
    containers: Mapping[str, ContainerRecord]


class Effect(TypedDict):
    """A row of `effects`, by name: what somebody does to pods from outside Kubernetes.

    Attributes:
        kind: network_delay, network_loss, pod_failure, container_kill, system_call ...
        namespace, labels: of the pods it may befall.
        params: of this kind.
        pod: uid of the one that it holds, "" for none.
        since: ms.
        armed: whether its next blow is planned.
        rests: it recurs, and pauses now.
    """

    kind: str
    namespace: str
    labels: Mapping[str, str]
    params: Mapping[str, Json]
    pod: str
    since: int
    armed: NotRequired[bool]
    rests: NotRequired[bool]
