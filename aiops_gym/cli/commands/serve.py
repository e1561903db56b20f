"""An incident for your own kubectl."""

from __future__ import annotations

import secrets
import signal
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aiops_gym.cli.common import TIER, show
from aiops_gym.errors import BackendError
from aiops_gym.runs import RayCluster

if TYPE_CHECKING:
    from aiops_gym.serve.session import Session

NAMED = "The id of a problem says what is wrong: whoever sees this command knows. Without --problem one is drawn.\n"

SERVED = """url {url}
token {token}

The token is the trainer's. An agent gets that of its session, and nothing else: with the trainer's it could score and
repeat what it does. Ctrl-C ends all sessions."""

ENDS = (signal.SIGINT, signal.SIGTERM)

ENDED = ""
"""News that there will be no more."""

LONGEST_WAIT = 0.5
"""Seconds for news: a signal that comes in the moment before Python waits is heard after it only."""

SEEDS = 2**31
"""Seeds that one is drawn of: of a hidden problem nobody shall guess it."""


def command(
    task: Annotated[str | None, typer.Option(help="Task to draw a problem of; detection if nothing is named.")] = None,
    split: Annotated[str | None, typer.Option(help="train or test; without it the problems of AIOpsLab.")] = None,
    app: Annotated[str | None, typer.Option(help="Application to draw a problem of; without it any.")] = None,
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    problem: Annotated[str | None, typer.Option(help="Id of the problem, which gives the answer away.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same incident; without it one that nobody knows.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the Kubernetes API; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on. Nobody is asked for a password.")] = "127.0.0.1",
    speed: Annotated[float, typer.Option(min=0, max=1000, help="Virtual seconds a second.")] = 1.0,
    kubeconfig: Annotated[Path, typer.Option(help="Kubeconfig to write; removed at the end.")] = Path("sim.kubeconfig"),
    save: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what was asked and submitted to this file, at the end.")
    ] = None,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Serve sessions for trainers and agents instead; they say what to play.")
    ] = False,
    processes: Annotated[int, typer.Option(min=1, max=256, help="With --sessions: that hold them.")] = 1,
    limit: Annotated[int, typer.Option(min=1, help="With --sessions: so many at once, in all processes.")] = 256,
    idle: Annotated[float, typer.Option(min=1, help="With --sessions: seconds until an unused one ends.")] = 900.0,
    ray: Annotated[bool, typer.Option("--ray", help="With --sessions: their processes are actors of Ray.")] = False,
    ray_address: Annotated[str, typer.Option(help="Its address; RAY_ADDRESS, else a Ray of our own.")] = "",
) -> None:
    """Let kubectl, k9s or your scripts work on a hidden incident; Ctrl-C ends it."""
    try:
        from aiops_gym.serve.service import serve_sessions  # noqa: PLC0415 an extra that other commands do without
        from aiops_gym.serve.session import serve_incident  # noqa: PLC0415
    except ImportError as error:
        raise BackendError(f"this command needs more packages: pip install 'aiops_gym[serve]' ({error})") from None
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    drawn = {"task": task, "split": split, "app": app, "tier": tier}
    for number in ENDS:  # a shell may have turned off Ctrl-C for what it runs behind
        signal.signal(number, _interrupt)
    if sessions:
        cluster = RayCluster(ray_address) if ray or ray_address else None
        where: dict[str, Any] = {"host": host, "port": port}
        with serve_sessions(**where, processes=processes, limit=limit, idle=idle, cluster=cluster) as service:
            show(SERVED.format(url=service.url, token=service.token))
            _wait()
        return
    with serve_incident(problem, seed, kubeconfig.absolute(), **drawn, host=host, port=port, speed=speed) as running:
        try:
            show((NAMED if problem is not None else "") + running.instructions)
            _tell(running, save)
        except KeyboardInterrupt:
            while not running.news.empty():  # what came just before is told, a verdict above all
                show(f"\n{running.news.get_nowait()}")
    if save is not None:
        running.transcript.save(save)
    show("\nstopped" + ("" if running.incident.verdict else f" without an answer; --seed {seed} poses it again"))
    if save is not None:
        show(f"{save}: aiops-gym view shows it")


def _wait() -> None:
    """Until interrupted."""
    pause = threading.Event()
    with suppress(KeyboardInterrupt):
        while True:
            pause.wait(LONGEST_WAIT)


def _tell(running: Session, save: Path | None) -> None:
    """Show what happens, until interrupted; a verdict is kept at once.

    A signal is news, too: raised between two of them it would take along the one that is about to be shown.
    """
    for each in ENDS:
        signal.signal(each, lambda *_: running.news.put(ENDED))
    while True:
        try:
            news = running.news.get(timeout=LONGEST_WAIT)
        except Empty:
            continue
        if news == ENDED:
            return
        show(f"\n{news}")
        if save is not None and running.incident.verdict is not None:
            running.transcript.save(save)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Once: what is left to be done then is short, and must be done."""
    for each in ENDS:
        signal.signal(each, _again)
    raise KeyboardInterrupt


def _again(number: int, frame: FrameType | None) -> None:
    """Nothing; to ignore a signal that has come already would make Python complain."""
