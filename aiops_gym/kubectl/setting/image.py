"""`kubectl set image`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.kubectl.changes import prepare, read_dry_run
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.pairs import split
from aiops_gym.kubectl.podspec import RECORDING, find_pod_spec, finish, patch_each, read_infos, wrap_patch
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote


def run(call: Invocation) -> int | None:
    """Change the images of containers."""
    prepare(call)
    resources, words = split(call.args, "image")
    images = _parse(words)
    infos = read_infos(call, resources)
    wrong: list[KubectlError] = []
    if not images:
        wrong.append(Failure("at least one image update is required"))
    elif len(images) > 1 and "*" in images:
        saw = "but saw more than one container_name=container_image pairs"
        wrong.append(Failure(f"all containers are already specified by *, {saw}"))
    if call.flags.on("local") and read_dry_run(call) == "server":
        wrong.append(Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"))
    if wrong:
        raise Failures(wrong)
    missing: list[KubectlError] = []

    def change(info: Info) -> Any:
        return _patch(info, images, missing)

    errors = patch_each(
        call, infos, change, done="image updated", failed="failed to patch image update to pod template"
    )
    finish([*missing, *errors])
    return None


def _parse(words: list[str]) -> Mapping[str, str]:
    wrong = [word for word in words if "=" not in word[1:]]
    if wrong:
        raise Failure(f"invalid image format: {', '.join(wrong)}")
    return dict(word.split("=", 1) for word in words)


def _patch(info: Info, images: Mapping[str, str], missing: list[KubectlError]) -> Any:
    spec = find_pod_spec(info)
    changed: dict[str, list[Any]] = {}
    for name, image in images.items():
        found = False
        for field in ("initContainers", "containers"):
            for container in spec.get(field) or ():
                if name in ("*", container["name"]):
                    found = True
                    if container.get("image") != image:
                        changed.setdefault(field, []).append({"name": container["name"], "image": image})
        if not found:
            missing.append(Failure(f"error: unable to find container named {go_quote(name)}"))
    return wrap_patch(info, changed) if changed else None


verb = Verb(
    "image",
    run,
    flags=RECORDING,
    usage="set image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ...",
    short="Update the image of a pod template",
)
