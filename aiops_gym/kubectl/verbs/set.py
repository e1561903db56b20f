"""`kubectl set`: the modules of `setting/`."""

from __future__ import annotations

from aiops_gym.kubectl.verb import Verb
from aiops_gym.scan import scan

verb = Verb(
    "set",
    verbs=tuple(scan("aiops_gym.kubectl.setting", "verb").values()),
    usage="set SUBCOMMAND",
    short="Set specific features on objects",
)
