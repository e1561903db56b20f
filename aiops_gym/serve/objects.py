"""Paths that name objects: from an HTTP request to one of the API's and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from aiops_gym.serve import behind, bodies, negotiate
from aiops_gym.serve.following import Following
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.negotiate import Form
from aiops_gym.serve.paths import Target
from aiops_gym.serve.refusals import JSON, not_supported, too_new, upgrade_required
from aiops_gym.serve.render import render_answer
from aiops_gym.serve.streams import Stream
from aiops_gym.serve.watching import TRUE, Watching
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import autoscaling, handle
from aiops_gym.sim.kube_api.rbac import User
from aiops_gym.sim.kube_api.status import bad_request, method_not_allowed
from aiops_gym.sim.kube_api.subresources import find_exec_target
from aiops_gym.sim.kube_api.watch import version_of
from aiops_gym.types import Json
from aiops_gym.types import Request as Question
from aiops_gym.types import Response as Reply

ONE = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
MANY = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}
DIALOGS = ("exec", "attach", "portforward")
"""Subresources that need a connection in both directions."""


async def serve(keeper: Keeper, target: Target, request: Request, asker: User | None = None) -> Response:
    """Answer a request about objects, which whoever asks may make. Raises ApiError."""
    if target.subresource == "proxy" and target.resource.plural in ("pods", "services"):
        return await behind.serve_proxy(keeper, target, request)
    raw = await bodies.read(request)
    plain = target.subresource in ("log", "proxy")
    form = Form() if plain else negotiate.choose_form(request.headers.get("accept", ""))
    question = _question(target, request, raw, form)
    if asker is not None and target.resource.verbs == ("create",):  # of what may be asked, only this depends on who
        question = replace(question, user=asker.user, groups=asker.groups)
    if target.subresource in DIALOGS and request.method in ("GET", "POST"):
        return await _dialog(keeper, target, replace(question, body=command(request.query_params)))
    if question.verb == "watch":
        watching = Watching(keeper, target.resource, question, form)
        return Stream(watching.lines(), f"{JSON};stream=watch" if form.table else JSON)
    if target.subresource == "log" and question.query.get("follow") in TRUE:
        return await _follow(keeper, question)
    reply = await keeper.ask(lambda world: _handled(world, question))
    if target.version != target.resource.version and reply.code < 400 and not form.table:
        reply = reply._replace(body=autoscaling.to_v1(reply.body))
    return render_answer(reply, form, question.query.get("includeObject", "Metadata") or "Metadata")


def _question(target: Target, request: Request, raw: bytes, form: Form) -> Question:
    """What the API is asked. Raises MethodNotAllowed, BadRequest, UnsupportedMediaType."""
    resource, query = target.resource, dict(request.query_params)
    verb = read_verb(target, request.method, query)
    content = request.headers.get("content-type", "")
    body: Json = None
    if request.method not in ("GET", "HEAD"):
        body = bodies.decode_body(raw, content, request.method, resource.kind)
        if target.version != resource.version and request.method != "DELETE":
            body = autoscaling.to_v2(body)
    if verb in ("create", "update", "patch") and not query.get("fieldManager") and "apply-patch" not in content:
        query["fieldManager"] = _manager(request.headers.get("user-agent", ""))
    return Question(
        verb, resource.name, target.namespace, target.name, target.subresource, body, content, query, form.table
    )


def _manager(agent: str) -> str:
    """The name under which a client that gives none owns fields: the program of its `User-Agent`.

    >>> _manager("kubectl/v1.32.1 (linux/amd64) kubernetes/e9c9be4")
    'kubectl'
    """
    return "".join(letter for letter in agent.partition("/")[0] if letter.isprintable())[:128]


def read_verb(target: Target, method: str, query: Mapping[str, str]) -> str:
    """What is to be done. Raises MethodNotAllowed."""
    method = "GET" if method == "HEAD" else method
    if method == "GET" and not target.subresource and (target.watch or query.get("watch") in TRUE):
        return "watch"
    table = ONE if target.name else MANY
    verb = "create" if target.subresource and method == "POST" else table.get(method, "")
    everywhere = target.resource.namespaced and not target.namespace
    if not verb or (everywhere and verb in ("create", "deletecollection")):
        raise method_not_allowed()
    return verb


def _handled(world: World, question: Question) -> Reply:
    if question.verb == "list":
        if question.query.get("continue") and question.query.get("resourceVersion"):
            raise bad_request("specifying resource version is not allowed when using continue")
        wanted = version_of(question.query.get("resourceVersion", ""))
        if wanted > world.store.version:
            raise too_new(wanted, world.store.version)
    return handle(world, question)


async def _follow(keeper: Keeper, question: Question) -> Response:
    def begin(world: World) -> tuple[Reply, Following]:
        reply = handle(world, question)
        return reply, Following(keeper, world, question, str(reply.body))

    reply, following = await keeper.ask(begin)
    if reply.code >= 400 or not following.container:
        return render_answer(reply, Form())
    return Stream(following.pieces(), "text/plain")


def command(query: QueryParams) -> Json:
    """The body that asks to run a command, from a URL that names its words one by one."""
    return {"command": query.getlist("command")}


async def _dialog(keeper: Keeper, target: Target, question: Question) -> Response:
    """What a client hears that cannot, or does not, speak WebSocket."""
    if target.subresource != "exec":
        raise not_supported(f"{target.resource.plural}/{target.subresource}")
    await keeper.ask(lambda world: find_exec_target(world, target.resource, question))
    raise upgrade_required()
