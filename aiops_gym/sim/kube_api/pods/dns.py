"""Rules for what a pod says of names, with the messages of the API server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kube_api import names
from aiops_gym.sim.kube_api.standing import ip_faults
from aiops_gym.sim.kube_api.status import Fault, invalid_value, required, unsupported

POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
MOST_SERVERS, MOST_SEARCHES, LONGEST_SEARCHES = 3, 32, 2048


def validate(spec: Mapping[str, Any], path: str) -> list[Fault]:
    """What is wrong with `dnsPolicy` and `dnsConfig` of a pod's spec."""
    config: Mapping[str, Any] | None = spec.get("dnsConfig")
    policy, where = spec["dnsPolicy"], f"{path}.dnsConfig"
    faults = [] if policy in POLICIES else [unsupported(f"{path}.dnsPolicy", policy, POLICIES)]
    if policy == "None" and config is None:
        return [*faults, required(where, "must provide `dnsConfig` when `dnsPolicy` is None")]
    if policy == "None" and not (config or {}).get("nameservers"):
        why = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        return [*faults, required(f"{where}.nameservers", why)]
    return faults + (_config(config, where) if config else [])


def _config(config: Mapping[str, Any], path: str) -> list[Fault]:
    servers, searches, faults = config.get("nameservers") or [], config.get("searches") or [], list[Fault]()
    if len(servers) > MOST_SERVERS:
        text = f"must not have more than {MOST_SERVERS} nameservers"
        faults.append(invalid_value(f"{path}.nameservers", servers, text))
    for index, server in enumerate(servers):
        faults += ip_faults(server, f"{path}.nameservers[{index}]")
    if len(searches) > MOST_SEARCHES:
        text = f"must not have more than {MOST_SEARCHES} search paths"
        faults.append(invalid_value(f"{path}.searches", searches, text))
    if len(" ".join(searches)) > LONGEST_SEARCHES:
        text = f"must not have more than {LONGEST_SEARCHES} characters (including spaces) in the search list"
        faults.append(invalid_value(f"{path}.searches", searches, text))
    for index, search in enumerate(searches):
        wrong = names.validate_dns_subdomain(search.removesuffix("."))
        faults += [invalid_value(f"{path}.searches[{index}]", search.removesuffix("."), why) for why in wrong]
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            faults.append(required(f"{path}.options[{index}]", "must not be empty"))
    return faults
