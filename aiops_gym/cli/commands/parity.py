"""The simulator beside a real cluster: the same answers to the same problems, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from aiops_gym.catalog import registry
from aiops_gym.cli.common import show
from aiops_gym.cli.parity import Played, compare, make_table
from aiops_gym.errors import BackendError

DEFAULT = ("k8s_target_port-misconfig-mitigation-1", "scale_pod_zero_social_net-mitigation-1")


def command(
    context: Annotated[str, typer.Option(help="Of the kubeconfig: the real cluster.")],
    problems: Annotated[list[str] | None, typer.Option(help="Ids of problems; may be given several times.")] = None,
    kubeconfig: Annotated[str, typer.Option(help="File of the context; the usual one without it.")] = "",
    clock: Annotated[str, typer.Option(help="Control URL of a served world, if that is the cluster.")] = "",
    clock_token: Annotated[str, typer.Option(help="For it.")] = "",
    workload: Annotated[str, typer.Option(help="job, or none where users are at work already.")] = "job",
    allow_shared: Annotated[bool, typer.Option("--allow-shared", help="Workloads of others may be there.")] = False,
    write: Annotated[Path | None, typer.Option(dir_okay=False, help="Write the table to this file.")] = None,
) -> None:
    """Play reference, empty, wrong-place and destructive answers on both backends, and write a table.

    Exit code 1 where a verdict differs.
    """
    given: dict[str, Any] = {"kubeconfig": kubeconfig, "clock": clock, "clock_token": clock_token}
    cluster = {**{key: value for key, value in given.items() if value}, "workload": workload}
    cluster |= {"allow_shared": True} if allow_shared else {}
    rows = list(_play(problems or DEFAULT, context, cluster))
    table = make_table(rows)
    show(table)
    if write is not None:
        write.write_text(table + "\n", encoding="utf-8")
    if any(row.differs for row in rows):
        raise typer.Exit(1)


def _play(problems: Sequence[str], context: str, cluster: Mapping[str, Any]) -> Iterator[Played]:
    for each in problems:
        try:
            yield from compare(registry.find_problem(each), context, cluster)
        except BackendError as error:
            yield Played(each, "-", (), (), told=str(error))
