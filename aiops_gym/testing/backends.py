"""What tools and tasks rely on, whatever the backend."""

from __future__ import annotations

from dataclasses import replace

from aiops_gym.backends import Backend
from aiops_gym.types import Request


def check_backend(backend: Backend) -> None:
    """Check what tools and tasks rely on: time moves by what is spent, reading changes nothing, the shell answers.

    Raises:
        AssertionError: a promise is broken.
    """
    before = backend.now()
    backend.spend(5.0)
    assert 4.9 < backend.now() - before < 60, f"5 s spent, {backend.now() - before} s passed"
    request = Request(verb="list", resource="deployments.apps", namespace=backend.app.namespace)
    first, second = backend.cluster.handle(request), backend.cluster.handle(request)
    assert first.code == 200, f"deployments cannot be listed: {first.body}"
    names = [[d["metadata"]["name"] for d in answer.body["items"]] for answer in (first, second)]
    assert names[0] == names[1], "the same request is answered differently"
    missing = backend.cluster.handle(replace(request, verb="get", name="no-such-deployment"))
    assert missing.code == 404, f"a missing object gives {missing.code}"
    run = backend.shell.run("echo out; echo err >&2; exit 3")
    assert (run.stdout, run.stderr, run.code) == ("out\n", "err\n", 3), f"the shell answers {run}"
    assert backend.telemetry.metric_names(), "there are no metrics"
