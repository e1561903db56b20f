"""`kubectl set`: the modules of `setting/`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from aiops_gym.kubectl import setting
from aiops_gym.kubectl.verb import Verb

verb = Verb(
    "set",
    verbs=tuple(import_module(f"{setting.__name__}.{m.name}").verb for m in pkgutil.iter_modules(setting.__path__)),
    usage="set SUBCOMMAND",
    short="Set specific features on objects",
    long="""Configure application resources.

 These commands help you make changes to existing application resources.""",
)
