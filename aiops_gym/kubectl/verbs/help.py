"""`kubectl help [COMMAND]`"""

from __future__ import annotations

from aiops_gym.kubectl import help, verbs
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Print the help of a command, or of kubectl."""
    verb, path = verbs.load_verbs().get(call.args[0]) if call.args else None, "kubectl"
    if verb is None:
        if call.args:
            topics = help.of_kubectl().partition("\n\nBasic")
            text = topics[2]
            call.complain(f"Unknown help topic [`{' '.join(call.args)}`]\n\n\n{topics[1].lstrip()}{text}")
            return 0
        call.write(help.of_kubectl())
        return 0
    path = f"kubectl {verb.name}"
    for word in call.args[1:]:
        if word in verb.children:
            verb = verb.children[word]
            path = f"{path} {verb.name}"
    call.write(help.of_verb(verb, path))
    return 0


verb = Verb("help", run, usage="help [command]", short="Help about any command")
