"""Helm's subcommands, each a function of what was typed; the table at the end says which arguments they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import yaml

from aiops_gym.clients import gojson, goyaml
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import Flag, Parsed
from aiops_gym.helm import actions, charts, flags, printing, storage, texts
from aiops_gym.helm.charts import Chart
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.render import join_manifests, render_chart
from aiops_gym.helm.storage import Release, Storage
from aiops_gym.helm.values import MOST_LEVELS, TOO_DEEP, merge_values, parse_set
from aiops_gym.helm.waiting import wait_for
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.types import Json, Request

HAPPY = 'Release "{}" has been upgraded. Happy Helming!\n'


@dataclass
class Call:
    """One command line.

    Attributes:
        context: of the shell.
        flags: as parsed.
        namespace: of the call.
    """

    context: Context
    flags: Parsed
    namespace: str

    @property
    def args(self) -> Sequence[str]:
        """What is no flag."""
        return self.flags.args

    @property
    def storage(self) -> Storage:
        """The releases of the call's namespace."""
        return Storage(self.context.cluster, self.namespace)

    @property
    def form(self) -> str:
        """The form of the output. Raises HelmError."""
        return printing.parse_form(self.flags.text("output"))

    def release(self) -> Release:
        """The revision that is meant. Raises HelmError."""
        return self.storage.revision(self.args[0], self.flags.number("revision"))


Run = Callable[[Call], str]


def list_(call: Call) -> str:
    """`helm list`."""
    on = call.flags.on
    states = [name for name in STATES if on(name)] or [storage.DEPLOYED, storage.FAILED]
    wide = Storage(call.context.cluster, "" if on("all-namespaces") else call.namespace)
    selector = ",".join(filter(None, ("owner=helm", call.flags.text("selector"))))
    last = {(r["namespace"], r["name"]): r for r in wide.all(selector)}
    chosen = [r for r in last.values() if on("all") or r["info"]["status"].partition("-")[0] in states]
    if pattern := call.flags.text("filter"):
        chosen = [r for r in chosen if _matches(pattern, r["name"])]
    key = "last_deployed" if on("date") else ""
    chosen.sort(key=lambda r: str(r["info"][key] if key else r["name"]), reverse=on("reverse"))
    start = call.flags.number("offset")
    rows = [printing.make_list_row(r) for r in chosen[start : start + (call.flags.number("max") or len(chosen))]]
    if call.form != "table":
        return printing.format_data([row["name"] for row in rows] if on("short") else rows, call.form)
    if on("short"):
        return "".join(f"{row['name']}\n" for row in rows)
    return printing.format_table(printing.LISTED, [list(row.values()) for row in rows], not on("no-headers"))


STATES = ("deployed", "failed", "pending", "superseded", "uninstalled", "uninstalling")


def _matches(pattern: str, name: str) -> bool:
    try:
        return compile_pattern(pattern).search(name) is not None
    except re.error as error:
        raise HelmError(f"error parsing regexp: {error}") from None


def status(call: Call) -> str:
    """`helm status`."""
    release = call.release()
    if call.form != "table":
        return printing.format_data(printing.hide_chart(release), call.form)
    return printing.format_status(release, described=call.flags.on("show-desc"))


def history(call: Call) -> str:
    """`helm history`."""
    found = call.storage.history(call.args[0])[-(call.flags.number("max") or 256) :]
    if call.form != "table":
        return printing.format_data([printing.make_history_entry(r) for r in found], call.form)
    return printing.format_table(printing.HISTORY, [printing.format_history_row(r) for r in found])


def get_values(call: Call) -> str:
    """`helm get values`."""
    release, everything = call.release(), call.flags.on("all")
    found = printing.compute_values(release) if everything else release.get("config")
    if call.form != "table":
        return printing.format_data(printing.sort_keys(found), call.form)
    return f"{'COMPUTED' if everything else 'USER-SUPPLIED'} VALUES:\n{printing.format_data(found, 'yaml')}"


def get_manifest(call: Call) -> str:
    """`helm get manifest`."""
    return f"{call.release()['manifest']}\n"


def get_all(call: Call) -> str:
    """`helm get all`."""
    return printing.format_all(call.release())


def get_nothing(call: Call) -> str:
    """`helm get hooks` and `notes`: the charts here have none."""
    call.release()
    return ""


def get_metadata(call: Call) -> str:
    """`helm get metadata`."""
    about = printing.make_metadata(call.release())
    if call.form != "table":
        return printing.format_data(about, call.form)
    titles = {"appVersion": "APP_VERSION", "deployedAt": "DEPLOYED_AT"}
    lines = [f"{titles.get(key, key.upper())}: {value}" for key, value in about.items()]
    return "\n".join([*lines[:4], "ANNOTATIONS: ", "DEPENDENCIES: ", *lines[4:]]) + "\n"


def _given(call: Call) -> dict[str, Json]:
    """The settings of the command line. Raises HelmError."""
    values: dict[str, Json] = {}
    for path in call.flags.items("values"):
        try:
            data = goyaml.load(call.context.stdin if path == "-" else call.context.files.read(path)) or {}
        except OSError:
            raise HelmError(f"open {path}: no such file or directory") from None
        except yaml.YAMLError as error:
            raise HelmError(f"failed to parse {path}: {texts.explain_error(error)}") from None
        if not isinstance(data, dict):
            raise HelmError(
                f"failed to parse {path}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal"
            )
        values = merge_values(values, data)
    for text in call.flags.items("set-json"):
        key, _, value = text.partition("=")
        try:
            values = merge_values(values, _nested(key, gojson.loads(value)))
        except ValueError:
            raise HelmError(f"failed parsing --set-json data: {text}") from None
    for text in call.flags.items("set"):
        parse_set(text, values)
    for text in call.flags.items("set-string"):
        parse_set(text, values, words=True)
    for text in call.flags.items("set-literal"):
        key, _, value = text.partition("=")
        values = merge_values(values, _nested(key, value))
    return values


def _nested(key: str, value: Json) -> dict[str, Json]:
    if key.count(".") > MOST_LEVELS:
        raise HelmError(f"failed parsing --set-json data: {TOO_DEEP} {MOST_LEVELS}")
    head, dot, rest = key.partition(".")
    return {head: _nested(rest, value) if dot else value}


def _plan(call: Call) -> actions.Plan:
    known = call.flags.values.get
    words = {"reset-values": "reset", "reuse-values": "reuse", "reset-then-reuse-values": "given"}
    word = next((short for flag, short in words.items() if known(flag)), "")
    dry = call.flags.text("dry-run") not in ("", "none", "false")
    return actions.Plan(
        dry_run=dry, reuse=word, description=call.flags.text("description"), history=call.flags.number("history-max")
    )


def install(call: Call) -> str:
    """`helm install`."""
    values = _given(call)
    name, path = call.args if len(call.args) > 1 else ("", call.args[0])
    if not name:
        raise HelmError("INSTALLATION FAILED: must either provide a name or specify --generate-name")
    return _installed(call, name, _chart(call, path, "INSTALLATION FAILED: "), values)


def _chart(call: Call, path: str, before: str = "") -> Chart:
    try:
        return charts.load(call.context, path)
    except HelmError as error:
        raise HelmError(f"{before}{error}") from None


def _installed(call: Call, name: str, chart: Chart, values: Mapping[str, Json], replaces: bool = False) -> str:
    cluster, plan = call.context.cluster, replace(_plan(call), replace=replaces)
    try:
        if call.flags.on("create-namespace") and not plan.dry_run:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": call.namespace}}
            cluster.handle(Request("create", "namespaces", "", body=body))
        done = actions.install(cluster, name, call.namespace, chart, values, plan)
        return _finished(call, done, plan)
    except HelmError as error:
        raise HelmError(f"INSTALLATION FAILED: {error}") from None


def upgrade(call: Call) -> str:
    """`helm upgrade`."""
    name, path = call.args
    cluster, plan, values = call.context.cluster, _plan(call), _given(call)
    chart = _chart(call, path)
    history = call.storage.all(f"name={name},owner=helm")
    if call.flags.on("install") and (not history or history[-1]["info"]["status"] == storage.UNINSTALLED):
        before = f'Release "{name}" does not exist. Installing it now.\n'
        return (before if call.form == "table" else "") + _installed(call, name, chart, values, True)
    try:
        done = actions.upgrade(cluster, name, call.namespace, chart, values, plan)
        told = _finished(call, done, plan)
    except HelmError as error:
        raise HelmError(f"UPGRADE FAILED: {error}") from None
    return told if call.form != "table" else HAPPY.format(name) + told


def _finished(call: Call, release: Release, plan: actions.Plan) -> str:
    """Wait if that is asked for, and tell the release. Raises HelmError."""
    if (call.flags.on("wait") or call.flags.on("atomic")) and not plan.dry_run:
        wait_for(call.context.cluster, release, call.flags.seconds("timeout"))
    if call.form != "table":
        return printing.format_data(printing.hide_chart(release), call.form)
    return printing.format_status(release) + (printing.format_plan(release) if plan.dry_run else "")


def rollback(call: Call) -> str:
    """`helm rollback`."""
    number = call.args[1] if len(call.args) > 1 else "0"
    if not number.isdigit():
        raise HelmError(f'could not convert revision to a number: strconv.Atoi: parsing "{number}": invalid syntax')
    plan = _plan(call)
    done = actions.rollback(call.context.cluster, call.args[0], call.namespace, int(number), plan)
    if call.flags.on("wait") and not plan.dry_run:
        wait_for(call.context.cluster, done, call.flags.seconds("timeout"))
    return "Rollback was a success! Happy Helming!\n"


def uninstall(call: Call) -> str:
    """`helm uninstall`."""
    lines = []
    for name in call.args:
        dry = call.flags.text("dry-run") not in ("", "none", "false")
        try:
            actions.uninstall(
                call.context.cluster, name, call.namespace, keep=call.flags.on("keep-history"), dry_run=dry
            )
        except HelmError as error:
            if not (call.flags.on("ignore-not-found") and "release: not found" in str(error)):
                raise
        lines.append(f'release "{name}" uninstalled\n')
    return "".join(lines)


def template(call: Call) -> str:
    """`helm template`."""
    name, path = call.args if len(call.args) > 1 else ("release-name", call.args[0])
    about = {"Name": name, "Namespace": call.namespace, "Revision": 1, "IsInstall": True, "IsUpgrade": False}
    found = render_chart(charts.load(call.context, path), _given(call), {**about, "Service": "Helm"})
    return join_manifests(found)


def show_values(call: Call) -> str:
    """`helm show values`."""
    return f"{charts.load(call.context, call.args[0]).values_text}\n"


def show_chart(call: Call) -> str:
    """`helm show chart`."""
    return f"{printing.format_data(dict(charts.load(call.context, call.args[0]).metadata), 'yaml')}\n"


def show_all(call: Call) -> str:
    """`helm show all`."""
    return f"{show_chart(call).removesuffix(chr(10))}\n---\n{show_values(call)}"


def lint(call: Call) -> str:
    """`helm lint`."""
    path = call.args[0] if call.args else "."
    about = {"Name": "test-release", "Namespace": call.namespace, "Revision": 1, "Service": "Helm"}
    render_chart(charts.load(call.context, path), _given(call), about)
    icon = "[INFO] Chart.yaml: icon is recommended\n"
    return f"==> Linting {path}\n{icon}\n1 chart(s) linted, 0 chart(s) failed\n"


@dataclass(frozen=True)
class Command:
    """A subcommand: what it does, its usage, how many arguments it takes, its flags."""

    run: Run
    usage: str
    least: int
    most: int
    flags: tuple[Flag, ...] = ()


_GET = (*flags.REVISION, *flags.OUTPUT)
_STATUS = (Flag("show-desc", "bool"), Flag("show-resources", "bool"))
_MAKE = (*flags.SETTINGS, *flags.RUNNING, *flags.OUTPUT)

COMMANDS: Mapping[str, Command] = {
    "list": Command(list_, "list [flags]", 0, 0, (*flags.LIST, *flags.OUTPUT)),
    "status": Command(status, "status RELEASE_NAME [flags]", 1, 1, (*_GET, *_STATUS)),
    "history": Command(history, "history RELEASE_NAME [flags]", 1, 1, (Flag("max", "int"), *flags.OUTPUT)),
    "get values": Command(get_values, "get values RELEASE_NAME [flags]", 1, 1, (*_GET, Flag("all", "bool", short="a"))),
    "get manifest": Command(get_manifest, "get manifest RELEASE_NAME [flags]", 1, 1, flags.REVISION),
    "get all": Command(get_all, "get all RELEASE_NAME [flags]", 1, 1, (*flags.REVISION, Flag("template"))),
    "get hooks": Command(get_nothing, "get hooks RELEASE_NAME [flags]", 1, 1, flags.REVISION),
    "get notes": Command(get_nothing, "get notes RELEASE_NAME [flags]", 1, 1, flags.REVISION),
    "get metadata": Command(get_metadata, "get metadata RELEASE_NAME [flags]", 1, 1, _GET),
    "install": Command(install, "install [NAME] [CHART] [flags]", 1, 2, (*_MAKE, *flags.HISTORY)),
    "upgrade": Command(upgrade, "upgrade [RELEASE] [CHART] [flags]", 2, 2, (*_MAKE, *flags.UPGRADE)),
    "rollback": Command(rollback, "rollback <RELEASE> [REVISION] [flags]", 1, 2, (*flags.RUNNING, *flags.HISTORY)),
    "uninstall": Command(uninstall, "uninstall RELEASE_NAME [...] [flags]", 1, 99, (*flags.UNINSTALL, *flags.RUNNING)),
    "template": Command(template, "template [NAME] [CHART] [flags]", 1, 2, (*flags.SETTINGS, *flags.RUNNING)),
    "show values": Command(show_values, "show values [CHART] [flags]", 1, 1),
    "show chart": Command(show_chart, "show chart [CHART] [flags]", 1, 1),
    "show all": Command(show_all, "show all [CHART] [flags]", 1, 1),
    "lint": Command(lint, "lint PATH [flags]", 0, 1, flags.SETTINGS),
}
"""By what is typed."""

ALIASES = {"ls": "list", "hist": "history", "del": "uninstall", "delete": "uninstall", "un": "uninstall"}
GROUPS = ("get", "show")
