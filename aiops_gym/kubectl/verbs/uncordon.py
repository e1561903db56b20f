"""`kubectl uncordon`."""

from __future__ import annotations

from aiops_gym.kubectl.verb import Verb
from aiops_gym.kubectl.verbs.cordon import FLAGS, run_uncordon

verb = Verb("uncordon", run_uncordon, flags=FLAGS, usage="uncordon NODE", short="Mark node as schedulable")
