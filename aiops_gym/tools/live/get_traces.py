"""Exporting traces to a file."""

from __future__ import annotations

from aiops_gym.errors import ToolError
from aiops_gym.tools.places import need_namespace, window
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, read
from aiops_gym.tools.table import save, to_csv
from aiops_gym.types import Result, Span

FOLDER = "trace_output"
LIMIT = 100
"""Traces of a service at most, the newest: Jaeger's default."""

ANSWERS = ("http.status_code", "response_class")
"""Tags that say what the answer was."""

OWN = "jaeger-all-in-one"
COLUMNS = (
    "trace_id",
    "span_id",
    "parent_span",
    "service_name",
    "operation_name",
    "start_time",
    "duration",
    "has_error",
    "response",
)


@read
def get_traces(context: Context, namespace: str, duration: int = 5) -> Result:
    """Collect the traces of an application from Jaeger into a CSV file, one span a row, times in microseconds.

    Jaeger returns the newest 100 traces of each service. Read the file with read_traces, or with any command in
    exec_shell.

    Args:
        namespace: namespace of the application.
        duration: the last so many minutes.
    """
    start, end = window(context, duration)
    own = context.backend.app.namespace
    if namespace != own:
        need_namespace(context, namespace)
        raise ToolError(f"Error: there is no Jaeger in the namespace {namespace!r}; the application's is {own!r}.")
    telemetry = context.backend.telemetry
    context.backend.spend(TELEMETRY_SECONDS)
    spans: dict[tuple[str, str], Span] = {}
    lines = []
    for service in telemetry.services():
        if service == OWN:
            continue
        context.backend.spend(TELEMETRY_SECONDS)
        found, total = telemetry.traces(service, start, end, LIMIT)
        for span in found:  # A trace is found once for each service in it.
            key = span[:2]
            if key not in spans:
                spans[key] = span
        lines.append(f"    {service}: {len({span[0] for span in found})} of {total} traces")
    path = f"{FOLDER}/traces_{int(end)}.csv"
    save(context.backend.shell, path, to_csv(COLUMNS, map(_row, spans.values())))
    exported = len({trace for trace, _ in spans})
    summary = f"{exported} different traces, {len(spans)} spans; exported of recorded, newest first, by service:"
    return Result("\n".join([f"Traces data exported to: {path}", summary, *(lines or ["    no service sent spans"])]))


def _row(span: Span) -> tuple[str, ...]:
    trace, identity, parent, service, operation, start, duration, error, tags = span
    response = "Unknown"
    for key, value in tags:
        if key in ANSWERS:
            response = value
    return trace, identity, parent or "ROOT", service, operation, str(start), str(duration), str(error), response
