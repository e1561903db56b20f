"""Watches: changes as lines of JSON, for as long as the client listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping

import orjson

from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.negotiate import Form
from aiops_gym.serve.refusals import too_new
from aiops_gym.serve.render import render_partial, render_rows
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import views
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.sim.kube_api.table import make_table
from aiops_gym.sim.kube_api.watch import Watch, version_of
from aiops_gym.types import Json, Request

LONGEST = 1_800.0
"""Seconds until a watch without a timeout ends; clients come again."""

BOOKMARKS = 60.0
"""Seconds between two bookmarks."""

TRUE = ("true", "1")


class Watching:
    """One client's watch.

    Args:
        keeper: of the world.
        resource: whose objects are watched.
        request: which of them.
        form: of the events' objects.

    Raises ApiError where the request makes no sense.
    """

    def __init__(self, keeper: Keeper, resource: Resource, request: Request, form: Form) -> None:
        query = request.query
        self.keeper, self.form = keeper, form
        self.resource = resource
        viewed = resource.name == views.NAME
        self.watch = Watch(RESOURCES[views.STORED], views.asked(request)) if viewed else Watch(resource, request)
        self.since = version_of(query.get("resourceVersion", ""))
        self.include = query.get("includeObject", "Metadata") or "Metadata"
        self.bookmarks = query.get("allowWatchBookmarks") in TRUE
        self.initial = query.get("sendInitialEvents") in TRUE or not self.since
        seconds = query.get("timeoutSeconds", "")
        self.seconds = min(float(seconds), LONGEST) if seconds.isdigit() and int(seconds) else LONGEST
        self.named = False

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """The events, one a line, until the time is up."""
        bell, epoch, loop = self.keeper.bell(), self.keeper.epoch, asyncio.get_running_loop()
        end = loop.time() + self.seconds
        try:
            yield await self.keeper.ask(self._begin)
            marked = loop.time()
            while not self.keeper.closed and (left := end - loop.time()) > 0:
                await bell.wait(min(left, BOOKMARKS))
                if self.keeper.epoch != epoch:
                    yield _line("ERROR", ApiError(410, "Expired", "The resourceVersion is too old").status)
                    return
                if self.keeper.version > self.watch.version:
                    yield await self.keeper.ask(self._more)
                if self.bookmarks and loop.time() - marked > BOOKMARKS:
                    marked = loop.time()
                    yield self._bookmark()
            if self.bookmarks:
                yield self._bookmark()
        except ApiError as error:
            yield _line("ERROR", error.status)
        finally:
            self.keeper.quiet(bell)

    def _begin(self, world: World) -> bytes:
        if self.since > world.store.version:
            raise too_new(self.since, world.store.version)
        if not self.initial:
            self.watch.version = self.since
            return self._more(world)
        found = self._encoded(world, self.watch.begin(world))
        return found + self._bookmark(last=True) if self.bookmarks and "sendInitialEvents" in self._query else found

    @property
    def _query(self) -> Mapping[str, str]:
        return self.watch.request.query

    def _more(self, world: World) -> bytes:
        return self._encoded(world, self.watch.more(world))

    def _encoded(self, world: World, events: Iterable[tuple[str, Obj]]) -> bytes:
        if self.resource.name == views.NAME:
            events = ((kind, views.shown(obj)) for kind, obj in events)
        return b"".join(_line(kind, self._shown(world, obj)) for kind, obj in events)

    def _shown(self, world: World, obj: Obj) -> Json:
        """An event's object in the form that was asked for."""
        if self.form.partial:
            return render_partial(obj, self.form.version)
        if not self.form.table:
            return obj
        made = make_table(self.watch.resource.name, [obj], world.now, obj["metadata"]["resourceVersion"])
        if self.named:
            made["columnDefinitions"] = None
        self.named = True
        made["apiVersion"] = f"meta.k8s.io/{self.form.version}"
        return {**made, "rows": render_rows(made["rows"], self.include)}

    def _bookmark(self, last: bool = False) -> bytes:
        """How far the client has come; the first one after all that was there says so."""
        meta: dict[str, Json] = {"resourceVersion": str(self.watch.version), "creationTimestamp": None}
        if last:
            meta["annotations"] = {"k8s.io/initial-events-end": "true"}
        resource = self.resource
        obj: Json = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": meta}
        if self.form.table:
            head = {"kind": "Table", "apiVersion": f"meta.k8s.io/{self.form.version}"}
            metadata = {"resourceVersion": str(self.watch.version)}
            obj = {**head, "metadata": metadata, "columnDefinitions": None, "rows": []}
        return _line("BOOKMARK", obj)


def _line(kind: str, obj: Json) -> bytes:
    return orjson.dumps({"type": kind, "object": obj}) + b"\n"
