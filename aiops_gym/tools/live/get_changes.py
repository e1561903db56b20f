"""Changes."""

from __future__ import annotations

from aiops_gym.errors import ToolError
from aiops_gym.tools.changes import list_changes
from aiops_gym.tools.places import need_namespace
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, extra, read
from aiops_gym.tools.servers import print_rows
from aiops_gym.types import Result

TITLES = ("time", "who", "namespace", "object", "change")
LONGEST = 7 * 24 * 60
"""Minutes: nobody asks for more than a week."""

HINT = "ask for one namespace, or a shorter duration"


@extra
@read
def get_changes(context: Context, namespace: str | None = None, duration: int = 60) -> Result:
    """Print what changed in the cluster, the newest first: when, who wrote, which object, and what of it.

    From what the cluster remembers: revisions of deployments and Helm releases, who wrote which fields last, what was
    created, and events that tell of scaling and of jobs. Most changes are harmless, and not every trouble is a change.

    Args:
        namespace: only changes in this one; without it all of them, and what lies in none.
        duration: the last so many minutes, 1 to 10080.
    """
    if not 1 <= duration <= LONGEST:
        raise ToolError(f"Error: get_changes: duration is in minutes, 1 to {LONGEST}, not {duration}.")
    context.backend.spend(TELEMETRY_SECONDS)
    if namespace:
        need_namespace(context, namespace)
    since = context.backend.now() - 60.0 * duration
    found = list_changes(context.backend.cluster, namespace or "", since)
    if not found:
        return Result(f"No changes in the last {duration} minutes.")
    return Result(print_rows(context, TITLES, [each.row for each in found], HINT))
