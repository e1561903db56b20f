"""An incident for your own kubectl."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from aiops_gym.cli.common import show
from aiops_gym.errors import BackendError


def command(
    problem: Annotated[str, typer.Option(help="Id of the problem, see `aiops-gym list`.")],
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same incident.")] = 0,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the Kubernetes API; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on. Nobody is asked for a password.")] = "127.0.0.1",
    speed: Annotated[float, typer.Option(min=0, max=1000, help="Virtual seconds a second.")] = 1.0,
    kubeconfig: Annotated[Path, typer.Option(help="Kubeconfig to write; removed at the end.")] = Path("sim.kubeconfig"),
) -> None:
    """Let kubectl, k9s or your scripts work on an incident; Ctrl-C ends it."""
    try:
        from aiops_gym.serve.session import session  # noqa: PLC0415 an extra that other commands do without
    except ImportError as error:
        raise BackendError(f"this command needs more packages: pip install 'aiops_gym[serve]' ({error})") from None
    signal.signal(signal.SIGTERM, _interrupt)
    with session(problem, seed, kubeconfig.absolute(), host=host, port=port, speed=speed) as running:
        show(running.instructions)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            show("\nstopped")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
