"""What types and their fields mean, in words of ours: the prose of `kubectl explain` and of the OpenAPI documents.

`descriptions.json` beside this file has a line for each type of `schema.json` that is described: its text under "",
then those of its fields. The line of "" has the fields that mean the same in every kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import orjson

from aiops_gym.sim.kube_api.schema import fields


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """All there are, by type and field."""
    return dict(orjson.loads(files(__package__).joinpath("descriptions.json").read_bytes()))


def describe(type_name: str, field: str = "") -> str:
    """What a type means, or one of its fields; "" where nobody wrote it down.

    >>> describe("DeploymentSpec", "replicas")
    'How many pods there should be. Default 1.'
    >>> describe("Pod", "spec") == describe("Service", "spec") != "", describe("RBDVolumeSource", "keyring")
    (True, '')
    """
    own = texts().get(type_name, {}).get(field, "")
    if own or "metadata" not in fields(type_name):  # a condition's status is no kind's status
        return own
    return texts()[""].get(field, "")
