"""What the judge still gets wrong, or the simulator lacks: recipes by name, each with why. To be emptied.

An entry that no longer offends fails the long suite: take it out.
"""

AFTER = "the whole cluster is not compared with what it was"
NEXT = "what comes next is not played"
WIDE = "wider rights are accepted"

ACCEPTED: dict[str, str] = {
    "the repair, and another deployment that stops before it starts": AFTER,
    "a dependency made for the moment, under other labels (endless_init_container)": NEXT,
    "a dependency made for the moment, under other labels (missing_secret)": NEXT,
    "a dependency made for the moment, under other labels (stuck_rollout)": NEXT,
    "a node said to be huge": NEXT,
    "a quota of exactly what there is": NEXT,
    "a stray pod unmarked, and not its template": NEXT,
    "an account that may do everything": WIDE,
    "host entries instead of the name server": NEXT,
    "the Service after the hash of today's pods": NEXT,
    "the repair, and a Service for the whole world": AFTER,
    "the repair, and a Service that is about to go": AFTER,
    "the repair, and a budget of all pods": AFTER,
    "the repair, and a budget of all pods of another component": AFTER,
    "the repair, and a further port at another Service": AFTER,
    "the repair, and a job that undoes it every hour": AFTER,
    "the repair, and a new Service on every node": AFTER,
    "the repair, and a new policy for another component": AFTER,
    "the repair, and a policy in another namespace": AFTER,
    "the repair, and a policy that was there for nobody": AFTER,
    "the repair, and a port of the node for another component": AFTER,
    "the repair, and a quota in another namespace": AFTER,
    "the repair, and a quota of exactly what there is": AFTER,
    "the repair, and a quota that was there for nothing": AFTER,
    "the repair, and a quota that was there raised to 1000": AFTER,
    "the repair, and a settings file changed where nobody looks": AFTER,
    "the repair, and a storage class gone": AFTER,
    "the repair, and a variable in another component's environment": AFTER,
    "the repair, and a volume that goes with its claim": AFTER,
    "the repair, and all secrets readable": AFTER,
    "the repair, and another Service on every node": AFTER,
    "the repair, and another component asks the node's name server": AFTER,
    "the repair, and another component paused": AFTER,
    "the repair, and another component pinned to a node": AFTER,
    "the repair, and another component privileged": AFTER,
    "the repair, and another component with a probe that fails in an hour": AFTER,
    "the repair, and another component with tighter limits": AFTER,
    "the repair, and another component without its limits": AFTER,
    "the repair, and another component's Service to the target's pods": AFTER,
    "the repair, and another component's Service without a selector": AFTER,
    "the repair, and another component's port moved": AFTER,
    "the repair, and another component's settings about to go": AFTER,
    "the repair, and another component's settings emptied": AFTER,
    "the repair, and another program for the measurements": AFTER,
    "the repair, and another's storage stopped": AFTER,
    "the repair, and everything allowed to the default account": AFTER,
    "the repair, and the measurements stopped": AFTER,
    "the repair, and the target paused": AFTER,
    "the repair, and the target privileged": AFTER,
    "the repair, and the target's Service on every node": AFTER,
    "the service's user as owner of all databases": WIDE,
    "the service's user as root": WIDE,
    "the service's user as root besides": WIDE,
    "the service's user in all databases": WIDE,
    "the wrong port opened at the other one's Service": AFTER,
    "today's name servers let out to": NEXT,
    "today's pod in the settings": NEXT,
    "today's pod in the settings of a pool": NEXT,
}
"""Masks that are accepted."""

REFUSED: dict[str, str] = {
    "assign_to_non_existent_node: a label made for the selector": "labels of nodes are taken from before the incident",
    "endless_init_container: a name for another one": "names of other names are not looked up",
    "foreign_settings: full names": "files are compared by their letters",
    "foreign_settings: reformatted": "files are compared by their letters",
    "missing_image_tag: the digest that a pod of the same image shows": "no image is found by its digest",
    "revoke_auth: a role of its own, client rolled out": "the database knows no createRole",
    "revoke_auth: a role that has the other, client's pods deleted": "the database knows no createRole",
    "storage_user_unregistered: created with a role of its own, client's pods deleted": "no createRole",
    "small_cpu_limit: a limit of 0": "a limit of 0 is taken for one",
    "unexpected_password: the opposite said": "arguments are compared by their letters",
    "wrong_address: the full name": "arguments are compared by their letters",
    "wrong_address: the full name with a dot": "arguments are compared by their letters",
    "wrong_address: the name with its namespace": "arguments are compared by their letters",
    "wrong_address: the Service's address": "arguments are compared by their letters",
    "wrong_address: the argument in two": "arguments are compared by their letters",
    "wrong_bin_usage: a shell that becomes it there": "a container does not become what its shell executes",
    "wrong_bin_usage: by env there": "a container does not become what its shell executes",
    "wrong_dns_policy: none, with the cluster's name server": "dnsConfig is not read",
    "wrong_dns_policy: none, with fewer searches": "dnsConfig is not read",
}
"""Good repairs that are refused."""

REPAIRING: dict[int, str] = {}
"""Scripts without a question that repair more than one mitigation in twenty, by number."""
