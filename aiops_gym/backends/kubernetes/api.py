"""The Kubernetes API over HTTP, by the official client: one request at a time, and what may go wrong on the way.

Loading credentials, TLS and their renewal is the official client's; what is asked is said as everywhere else in this
package, by a `types.Request`. What passes by itself is waited for on the injected clock: a server that is gone, one
that is busy (429, 503), a token that has expired. What does not is one clear `BackendError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from aiops_gym.backends.kubernetes.clocks import Clock
from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Json, Output, Request, Response

APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
FORM = "application/x-www-form-urlencoded"

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METHODS = {"get": "GET", "list": "GET", "watch": "GET", "create": "POST", "update": "PUT", "patch": "PATCH"}
METHODS |= {"delete": "DELETE", "deletecollection": "DELETE"}

PAGE = 500
"""Objects of a list that are asked for at once."""

BUSY = (429, 503, 504)
"""Answers that ask to come again: the server is overloaded, or starts."""

PAUSE = 2.0
"""Seconds between two tries, where the server does not say."""

ERRORS = 3
"""The channel of a stream on which its Status comes at the end (`v4.channel.k8s.io`)."""

SECONDS = 60.0
"""Of the wall, for one answer."""

MANAGER = "aiops-gym"
"""Who owns the fields that are applied."""


class Api:
    """A cluster's API, for one user.

    Args:
        make: makes the official client, from the kubeconfig or with a token; called again when it is refused.
        clock: by which is waited.
        patience: seconds for which the server may be gone.
    """

    def __init__(self, make: Callable[[], Any], clock: Clock, patience: float = 120.0) -> None:
        self.make, self.clock, self.patience = make, clock, patience
        self.client = make()

    @property
    def host(self) -> str:
        """URL of the server."""
        return str(self.client.configuration.host).rstrip("/")

    def close(self) -> None:
        """End all connections."""
        self.client.rest_client.pool_manager.clear()

    def send(self, request: Request) -> Response:
        """Answer one request; a refusal is a Response with a `v1.Status`. Raises BackendError."""
        if request.subresource == "exec":
            return _too_far(request) if request.user else self._exec(request)
        if request.subresource == "proxy" and request.resource in ("pods", "services"):
            return self._proxied(request)
        accept = TABLE if request.table else "application/json"
        path, query = make_path(request), dict(request.query)
        if request.table:
            query["includeObject"] = "Object"  # rows are sorted by any of their objects' fields
        if request.verb == "watch":
            query["watch"] = "true"
        code, body, headers = self._patiently(METHODS[request.verb], path, query, request, accept)
        if request.subresource == "log" and code < 400:
            return Response(code, body.decode("utf-8", "replace"))
        answer = Answer(code, _say_kinds(_read(body, code)))
        answer.warnings = tuple(_read_warnings(headers))
        return answer

    def raw(self, method: str, path: str, body: Json = None) -> Response:
        """Answer a request for a path of kinds that this package does not know. Raises BackendError."""
        code, found, _ = self._patiently(method, path, {}, Request("create", "", body=body), "application/json")
        return Response(code, _read(found, code))

    def get(self, resource: str, namespace: str, name: str) -> Json | None:
        """An object, None where there is none. Raises BackendError for any other refusal."""
        found = self.send(Request("get", resource, namespace, name))
        if found.code == 404:
            return None
        return check(found, f"get {resource} {name}")

    def list(self, resource: str, namespace: str = "", labels: str = "") -> list[Json]:
        """All objects, page by page; a list that is too old to go on with (410) begins anew. None of an unknown kind.

        Raises BackendError.
        """
        found: list[Json] = []
        token, query = "", {"limit": str(PAGE), **({"labelSelector": labels} if labels else {})}
        while True:
            asked = {**query, **({"continue": token} if token else {})}
            answer = self.send(Request("list", resource, namespace, query=asked))
            if answer.code == 410 and token:
                found, token = [], ""
                continue
            if answer.code == 404:
                return []
            body = check(answer, f"list {resource}")
            found += body.get("items") or ()
            token = (body.get("metadata") or {}).get("continue", "")
            if not token:
                return found

    def apply(self, manifest: Mapping[str, Json], namespace: str = "") -> Json:
        """Server-side apply of an object; a conflict is resolved in our favour. Raises BackendError."""
        resource = find_resource(manifest)
        meta = manifest["metadata"]
        body = {key: value for key, value in manifest.items() if key != "status"}
        place = (meta.get("namespace") or namespace) if resource.namespaced else ""
        query = {"fieldManager": MANAGER, "force": "true"}
        request = Request("patch", resource.name, place, meta["name"], body=body, content_type=APPLY, query=query)
        return check(self.insist(request), f"apply {resource.kind} {meta['name']}")

    def insist(self, request: Request) -> Response:
        """Send a write again while somebody else writes the same object (409 Conflict)."""
        end = self.clock.now() + self.patience
        while True:
            answer = self.send(request)
            busy = answer.code == 409 and (answer.body or {}).get("reason") != "AlreadyExists"
            if not busy or self.clock.now() >= end:
                return answer
            self.clock.wait(PAUSE)

    def delete(self, resource: str, namespace: str, name: str, **options: Json) -> None:
        """Delete an object, with whatever options; one that is gone is gone. Raises BackendError."""
        body = options or None
        answer = self.insist(Request("delete", resource, namespace, name, body=body))
        if answer.code != 404:
            check(answer, f"delete {resource} {name}")

    def watch(self, resource: str, namespace: str, seconds: int) -> Iterator[tuple[str, Json]]:
        """(ADDED, MODIFIED or DELETED, object) since now, for so many seconds of the wall.

        Where the stream ends early it goes on from the last version that was seen; where that is too old (410), all
        objects are listed again and told as MODIFIED.
        """
        version = self._version(resource, namespace)
        tries = 0
        while tries < 3:
            query = {"resourceVersion": version, "timeoutSeconds": str(seconds), "allowWatchBookmarks": "true"}
            path = make_path(Request("list", resource, namespace))
            try:
                for kind, obj in self._stream(path, {**query, "watch": "true"}, seconds + 10.0):
                    if kind == "ERROR":
                        raise _TooOldError
                    version = obj["metadata"].get("resourceVersion", version)
                    if kind != "BOOKMARK":
                        yield kind, obj
                return
            except _TooOldError:
                version = self._version(resource, namespace)
                for obj in self.list(resource, namespace):
                    yield "MODIFIED", obj
            except _transport_errors():
                self.clock.wait(PAUSE)
            tries += 1
        raise BackendError(f"a watch of {resource} ends again and again")

    def _version(self, resource: str, namespace: str) -> str:
        answer = check(self.send(Request("list", resource, namespace, query={"limit": "1"})), f"list {resource}")
        return str(answer["metadata"].get("resourceVersion", "0"))

    def _stream(self, path: str, query: Mapping[str, str], seconds: float) -> Iterator[tuple[str, Json]]:
        url = f"{self.host}{path}?{urlencode(query)}"
        answer = self.client.rest_client.request("GET", url, headers=self._headers("application/json"),
                                                 _request_timeout=(10.0, seconds))  # fmt: skip
        if answer.status == 410:
            raise _TooOldError
        rest = b""
        for piece in answer.response.stream(65_536):
            *lines, rest = (rest + piece).split(b"\n")
            for line in filter(None, lines):
                event = json.loads(line)
                yield event["type"], event["object"]

    def _headers(self, accept: str) -> dict[str, str]:
        found = {"Accept": accept, "User-Agent": MANAGER}
        for setting in self.client.configuration.auth_settings().values():
            if setting.get("in") == "header" and setting.get("value"):
                found[setting["key"]] = setting["value"]
        return found

    def _patiently(
        self, method: str, path: str, query: Mapping[str, str], request: Request, accept: str
    ) -> tuple[int, bytes, Mapping[str, str]]:
        """An answer, waited for as long as patience lasts."""
        end, renewed, last = self.clock.now() + self.patience, False, ""
        while True:
            try:
                code, body, headers = self._once(method, path, query, request, accept)
            except _transport_errors() as error:
                code, body, headers, last = 0, b"", {}, " ".join(str(error).split())[:200]
            if code == 401 and not renewed:
                self.close()
                self.client, renewed = self.make(), True
                continue
            if code == 401:
                raise BackendError(f"the cluster at {self.host} refuses the credentials: {_told(body)}")
            if code and not (code in BUSY and _is_of_server(body)):
                return code, body, headers
            if self.clock.now() >= end:
                what = f"is gone: {last}" if not code else f"answers {code}: {_told(body)}"
                raise BackendError(f"the API server at {self.host} {what}, for {self.patience:g} seconds")
            told = headers.get("retry-after", "")
            self.clock.wait(min(30.0, float(told)) if is_natural(told) and int(told) else PAUSE)

    def _once(
        self, method: str, path: str, query: Mapping[str, str], request: Request, accept: str
    ) -> tuple[int, bytes, Mapping[str, str]]:
        url = f"{self.host}{path}" + (f"?{urlencode(query)}" if query else "")
        headers, body, form = _impersonate(self._headers(accept), request), None, None
        if method not in ("GET", "HEAD") and request.body is not None:
            headers["Content-Type"] = request.content_type or "application/json"
            if request.content_type == FORM:
                form = parse_qsl(request.body)
            else:
                body = json.dumps(request.body) if request.content_type == APPLY else request.body
        answer = self.client.rest_client.request(
            method, url, headers=headers, body=body, post_params=form, _request_timeout=(10.0, SECONDS)
        )
        return answer.status, answer.read() or b"", {k.lower(): v for k, v in answer.headers.items()}

    def _proxied(self, request: Request) -> Response:
        """What a program behind a Service or in a pod answers, which is no object."""
        asked = request.body or {}
        path, _, query = str(asked.get("path", "/")).partition("?")
        url = f"{make_path(request)}{path if path.startswith('/') else f'/{path}'}" + (f"?{query}" if query else "")
        sent = str(asked.get("text") or "")
        told = {"body": json.loads(sent)} if sent.startswith("{") else {"body": sent or None, "content_type": FORM}
        bare = Request("get", request.resource, **told)
        code, body, headers = self._patiently(asked.get("method", "GET"), url, {}, bare, "*/*")
        text = body.decode("utf-8", "replace")
        status = _status(body)
        if status is not None and code >= 400:
            return Response(code, status)
        return Response(code, HttpAnswer(code, text, {"Content-Type": headers.get("content-type", "")}))

    def _exec(self, request: Request) -> Response:
        """A command in a container, over a WebSocket."""
        from kubernetes.client import CoreV1Api  # noqa: PLC0415  # heavy, and of this room alone
        from kubernetes.client.exceptions import ApiException  # noqa: PLC0415
        from kubernetes.stream import stream  # noqa: PLC0415

        body, stdin = request.body or {}, str((request.body or {}).get("stdin") or "")
        options = {"container": name} if (name := request.query.get("container", "")) else {}
        try:
            talk = stream(
                CoreV1Api(self.client).connect_get_namespaced_pod_exec, request.name, request.namespace,
                command=list(body.get("command") or ()), stdin=bool(stdin), stdout=True, stderr=True, tty=False,
                _preload_content=False, _request_timeout=SECONDS, **options,
            )  # fmt: skip
        except ApiException as error:
            return self._why_no_exec(request, error)
        try:
            if stdin:
                talk.write_stdin(stdin)
            talk.run_forever(timeout=SECONDS)
            written = talk.read_stdout(timeout=0) or "", talk.read_stderr(timeout=0) or ""
            ended = "" if talk.is_open() else talk.read_channel(ERRORS, timeout=0)
        finally:
            talk.close()
            talk.sock.shutdown()  # `close` leaves the socket open where the server was the first to say good-bye
        if not ended:
            raise BackendError(f"a command in {request.name} did not end within {SECONDS:g} seconds, or was cut off")
        status = json.loads(ended)
        code = read_exit_code(status)
        return Response(int(status.get("code", 500)), status) if code is None else Response(200, Output(*written, code))

    def _why_no_exec(self, request: Request, error: Any) -> Response:
        """The refusal of an exec: a WebSocket's handshake loses its text, so that it is asked for without one."""
        query = [("command", word) for word in (request.body or {}).get("command") or ()]
        query += [(key, value) for key, value in request.query.items()]
        url = f"{make_path(request)}?{urlencode(query)}"
        code, body, _ = self._patiently("POST", url, {}, Request("create", "pods"), "application/json")
        status = _status(body)
        if status is None or code < 400:
            raise BackendError(f"no command can be run in {request.name}: {error.reason}")
        return Response(code, status)


def read_exit_code(status: Mapping[str, Any]) -> int | None:
    """The code of a command in a container by the Status with which its stream ends; None where it did not run.

    >>> read_exit_code({"status": "Failure", "reason": "InternalError", "message": "connection refused"})
    """
    if status.get("status") == "Success":
        return 0
    causes = (status.get("details") or {}).get("causes") or ()
    found = next((each["message"] for each in causes if each.get("reason") == "ExitCode"), "")
    return int(found) if is_natural(found) else None


def _impersonate(headers: Any, request: Request) -> Any:
    """The headers of a request, with whose name it is made in, where that is not the caller's own."""
    if not request.user:
        return headers
    from urllib3 import HTTPHeaderDict  # noqa: PLC0415  # comes with the official client

    found = HTTPHeaderDict({**headers, "Impersonate-User": request.user})
    for group in request.groups:
        found.add("Impersonate-Group", group)
    return found


def _too_far(request: Request) -> Response:
    """The refusal of a command in a container in another's name: the official client's stream cannot ask for it."""
    what = f'pods "{request.name}" is forbidden: commands in containers cannot be run in the name of "{request.user}"'
    return Response(403, {"kind": "Status", "status": "Failure", "reason": "Forbidden", "message": what, "code": 403})


class _TooOldError(Exception):
    """A watch asked for a version that the server has no more."""


def _transport_errors() -> tuple[type[Exception], ...]:
    """What the HTTP stack raises where nobody answers."""
    from urllib3.exceptions import HTTPError  # noqa: PLC0415  # comes with the official client

    return (HTTPError, OSError)


def make_path(request: Request) -> str:
    """The path of a request.

    >>> make_path(Request("get", "deployments.apps", "shop", "geo", "scale"))
    '/apis/apps/v1/namespaces/shop/deployments/geo/scale'
    """
    if request.resource not in RESOURCES:
        raise BackendError(f"no resource {request.resource!r}")
    resource = RESOURCES[request.resource]
    parts = ["", "apis", resource.group, resource.version] if resource.group else ["", "api", resource.version]
    if resource.namespaced and request.namespace:
        parts += ["namespaces", request.namespace]
    parts += [resource.plural, *filter(None, (request.name, request.subresource))]
    return "/".join(quote(part, safe=":") for part in parts)


def find_resource(manifest: Mapping[str, Json]) -> Resource:
    """The resource of a manifest. Raises BackendError."""
    like = (manifest["apiVersion"], manifest["kind"])
    for each in RESOURCES.values():
        if (each.api_version, each.kind) == like:
            return each
    raise BackendError(f"no resource for {like[0]} {like[1]}")


def check(answer: Response, what: str) -> Json:
    """The body of an answer. Raises BackendError for a refusal."""
    if answer.code >= 400:
        raise BackendError(f"{what}: {answer.code} {(answer.body or {}).get('message', '')}".strip())
    return answer.body


def _read(body: bytes, code: int) -> Json:
    try:
        return json.loads(body)
    except ValueError:
        text = body.decode("utf-8", "replace").strip()
        reason = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound"}.get(code, "InternalError")
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "message": text,
            "reason": reason,
            "code": code,
        }


def _say_kinds(body: Json) -> Json:
    """A list whose items say what they are, which a server leaves out and kubectl fills in."""
    if isinstance(body, dict) and isinstance(body.get("items"), list) and str(body.get("kind", "")).endswith("List"):
        kind = {"apiVersion": body["apiVersion"], "kind": body["kind"].removesuffix("List")}
        return {**body, "items": [{**kind, **each} for each in body["items"]]}
    return body


def _status(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.get("kind") == "Status" else None


def _told(body: bytes) -> str:
    status = _status(body)
    return str(status.get("message", "")) if status else body.decode("utf-8", "replace").strip()[:200]


def _is_of_server(body: bytes) -> bool:
    """Whether a busy answer is the API server's own, and not what it says of a program that it was asked to reach."""
    text = body.decode("utf-8", "replace")
    return not any(
        word in text
        for word in ("error trying to reach service", "no endpoints available", "no service port", "disruption budget")
    )


def _read_warnings(headers: Mapping[str, str]) -> Iterator[str]:
    r"""The texts of a header of warnings, which are quoted.

    >>> list(_read_warnings({"warning": r'299 - "unknown field \"spec.foo\"", 299 - "old"'}))
    ['unknown field "spec.foo"', 'old']
    """
    for text in re.findall(r'299 - "((?:[^"\\]|\\.)*)"', headers.get("warning", "")):
        yield re.sub(r"\\(.)", r"\1", text)


def connect(context: str, kubeconfig: str = "") -> Callable[[], Any]:
    """What makes the official client of a context. Raises BackendError."""

    def make() -> Any:
        try:
            from kubernetes import client, config  # noqa: PLC0415  # heavy, and of this room alone
        except ImportError as error:
            raise BackendError(f"a real cluster needs: pip install 'aiops_gym[kubernetes]' ({error})") from None
        found = client.Configuration()
        try:
            config.load_kube_config(kubeconfig or None, context, found, persist_config=False)  # type: ignore[no-untyped-call]
        except config.ConfigException as error:
            raise BackendError(f"the context {context!r} cannot be used: {error}") from None
        return _make(client, found)

    return make


def impersonate(api: Api, draw_token: Callable[[], str]) -> Callable[[], Any]:
    """What makes a client of the same server with nothing but a token; drawn anew each time."""

    def make() -> Any:
        from kubernetes import client  # noqa: PLC0415

        mine, found = api.client.configuration, client.Configuration()
        found.host, found.ssl_ca_cert, found.verify_ssl = mine.host, mine.ssl_ca_cert, mine.verify_ssl
        found.tls_server_name = mine.tls_server_name
        found.api_key, found.api_key_prefix = {"BearerToken": draw_token()}, {"BearerToken": "Bearer"}
        return _make(client, found)

    return make


def _make(client: Any, configuration: Any) -> Any:
    configuration.retries = False  # the clock is ours
    return client.ApiClient(configuration)
