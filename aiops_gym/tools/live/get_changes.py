"""Changes."""

from __future__ import annotations

from aiops_gym.errors import ToolError
from aiops_gym.tools.changes import list_changes
from aiops_gym.tools.places import need_namespace
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, extra, read
from aiops_gym.tools.servers import print_page
from aiops_gym.types import Result

TITLES = ("time", "who", "object", "change")
LONGEST = 7 * 24 * 60
"""Minutes: nobody asks for more than a week."""


@extra
@read
def get_changes(context: Context, namespace: str | None = None, duration: int = 60, offset: int = 0) -> Result:
    """Print what changed in the cluster, the newest first: when, who wrote, which object, and what of it.

    From what the cluster remembers: revisions of deployments and Helm releases, who wrote which fields last, what was
    created, and events that tell of scaling and of jobs. Most changes are harmless, and not every trouble is a change.

    Args:
        namespace: only changes in this one; without it all of them, and what lies in none.
        duration: the last so many minutes, 1 to 10080.
        offset: so many of the newest are left out: the next page, where not all of them fit one.
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
    if offset and not 0 < offset < len(found):
        raise ToolError(f"Error: get_changes: offset is from 0 to {len(found) - 1}, not {offset}: so many there are.")
    titles = TITLES if namespace else (*TITLES[:2], "namespace", *TITLES[2:])
    rows = [each.row if not namespace else [*each.row[:2], *each.row[3:]] for each in found]
    asked = f"'{namespace}', {duration}" if namespace else f"None, {duration}"
    return Result(print_page(context, titles, rows, offset, lambda at: f"get_changes({asked}, {at})"))
