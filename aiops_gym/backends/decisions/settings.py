"""Values in ConfigMaps, copies of them, and what is left of older ones."""

from __future__ import annotations

from aiops_gym.backends.baseline import apply
from aiops_gym.backends.decisions.site import Decision, Site, anybody
from aiops_gym.backends.inject import roll_out
from aiops_gym.catalog.names import NEW
from aiops_gym.sim.kernel.objects import get

LINES = {
    "redis.conf": ("maxclients 5000", "timeout 0", "databases 16", "loglevel notice"),
    "mongod.conf": ("operationProfiling:\n  slowOpThresholdMs: 200", "systemLog:\n  verbosity: 0"),
    "nginx.conf": ("worker_rlimit_nofile 8192;", "pcre_jit on;", "timer_resolution 100ms;"),
}
"""Further lines that change nothing here, by file."""

TUNED = '"timeout_ms": 10000, "keepalive_ms": 10000'
TO = ('"timeout_ms": 10000, "keepalive_ms": 20000', '"timeout_ms": 10000, "keepalive_ms": 30000')


def _tune(site: Site) -> None:
    """A value that makes no difference is another one, and the program has read it."""
    file, text = _settings(site)
    if file in LINES:
        changed = f"{site.pick(LINES[file])}\n{text}" if file == "nginx.conf" else f"{text}{site.pick(LINES[file])}\n"
    else:
        lines = text.splitlines(keepends=True)
        known = [number for number, line in enumerate(lines) if TUNED in line and site.name not in line]
        at = site.pick(known, "line")
        lines[at] = lines[at].replace(TUNED, site.pick(TO))
        changed = "".join(lines)
    site.patch("configmaps", site.name, {"data": {file: changed}})
    roll_out(site.world, site.app.namespace, site.name)


def _settings(site: Site) -> tuple[str, str]:
    """The file that the app says a component reads, and its text; empty where it reads none."""
    found, file = site.world.store.get("configmaps", site.app.namespace, site.name), site.parameters.get("file", "")
    return file, get(found or {}, "data", default={}).get(file, "")


def _tunable(site: Site) -> bool:
    file, text = _settings(site)
    return bool(text) and (file in LINES or TUNED in text)


def _mount(site: Site) -> None:
    """One more file, which the program does not read."""
    name = f"{site.name}-{site.pick(NEW['map_name'][2])}"
    site.create("ConfigMap", name, data={"config.json": '{"owner": "team-blue"}\n'})
    volume = {"name": site.pick(("extra-settings", "notes"), "volume"), "configMap": {"name": name}}
    mount = {"name": volume["name"], "mountPath": "/etc/extra"}
    site.patch_pod(
        {
            "volumes": [volume],
            "containers": [{"name": site.container["name"], "volumeMounts": [mount]}],
        }
    )


def _mounted(site: Site) -> tuple[str, str]:
    """A volume of a ConfigMap, and the ConfigMap's name; empty where there is none."""
    volumes = [volume for volume in site.pod.get("volumes") or () if "configMap" in volume]
    return (volumes[0]["name"], volumes[0]["configMap"]["name"]) if volumes else ("", "")


def _copy(site: Site) -> None:
    """A component has the same settings from a ConfigMap of another name; the old one is still there."""
    volume, name = _mounted(site)
    old = site.world.store.get("configmaps", site.app.namespace, name)
    assert old is not None
    new = f"{name}-{site.pick(('current', 'rev2', '2026'))}"
    site.create("ConfigMap", new, data=dict(old["data"]))
    site.patch_pod({"volumes": [{"name": volume, "configMap": {"name": new}}]})


def _kinds(site: Site) -> set[str]:
    return {"claim" for volume in site.pod.get("volumes") or () if "persistentVolumeClaim" in volume}


def _move(site: Site) -> None:
    """A second volume of the same folder and a claim to it, which the component has now."""
    volume = next(each for each in site.pod["volumes"] if "persistentVolumeClaim" in each)
    claim = volume["persistentVolumeClaim"]["claimName"]
    old = site.world.store.get("persistentvolumeclaims", site.app.namespace, claim)
    assert old is not None
    held = site.world.store.get("persistentvolumes", "", old["spec"]["volumeName"])
    assert held is not None
    word = site.pick(("retained", "rev2", "2026"))
    spec = {key: value for key, value in held["spec"].items() if key != "claimRef"}
    apply(
        site.world,
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{claim}-{word}"}, "spec": spec},
    )
    wanted = {key: old["spec"][key] for key in ("storageClassName", "accessModes", "resources")}
    site.create("PersistentVolumeClaim", f"{claim}-{word}", spec={**wanted, "volumeName": f"{claim}-{word}"})
    site.patch_pod({"volumes": [{"name": volume["name"], "persistentVolumeClaim": {"claimName": f"{claim}-{word}"}}]})


def _old_map(site: Site) -> None:
    name = f"{site.name}-{site.pick(('old', 'v1', 'backup', '2025'))}"
    site.create("ConfigMap", name, data={"config.json": '{"state": "replaced"}\n'})


def _old_secret(site: Site) -> None:
    name = f"{site.name}-{site.pick(('credentials-old', 'token', 'key-2025'))}"
    site.create("Secret", name, stringData={"token": "0".zfill(site.pick((12, 16, 24)))})


decisions = (
    Decision("value in the settings", _tune, _tunable, 2.0, replaces=anybody),
    Decision("line in a store's settings", _tune, lambda site: _settings(site)[0] in LINES, 2.0, replaces=anybody),
    Decision("one more file", _mount, weight=2.0),
    Decision("copy of the settings", _copy, lambda site: bool(_mounted(site)[0]), 1.5, replaces=anybody),
    Decision("other claim", _move, lambda site: "claim" in _kinds(site), 0.8, replaces=anybody),
    Decision("old ConfigMap", _old_map, weight=0.7),
    Decision("old Secret", _old_secret, weight=0.7),
)
