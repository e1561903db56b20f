"""`kubectl edit`: there is no editor where nobody sits at a terminal."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import MANAGER, RECORD, VALIDATE
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote


def run(call: Invocation) -> int | None:
    """Find the objects, then fail to start an editor."""
    select(call, call.args, latest=True).infos()
    env = call.context.env
    editor = env.get("KUBE_EDITOR") or env.get("EDITOR") or "vi"
    raise Failure(f"unable to launch the editor {go_quote(editor)}")


verb = Verb(
    "edit",
    run,
    flags=(
        Flag("output-patch", "bool", help="Output the patch if the resource is edited."),
        Flag("save-config", "bool", help="If true, the configuration will be saved in its annotation."),
        Flag("subresource", help="If specified, edit will operate on the subresource of the requested object."),
        Flag("windows-line-endings", "bool", help="Defaults to the line ending native to your platform."),
        VALIDATE,
        *FILES,
        MANAGER,
        RECORD,
        *output.FLAGS,
    ),
    usage="edit (RESOURCE/NAME | -f FILENAME)",
    short="Edit a resource on the server",
)
