"""Who asks: the cluster's administrator, the ServiceAccount whose token a request bears, or who is impersonated.

Of the latter two the roles count.

Nobody is asked for a password here, so that a request without a token of this cluster is the administrator's.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers

from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.objects import read_verb
from aiops_gym.serve.paths import Target
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.rbac import (
    ADMINISTRATOR,
    Account,
    User,
    check_impersonation,
    check_path,
    find_user,
    refuse,
)
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.sim.kube_api.subresources import TOKEN, find_bearer
from aiops_gym.types import Request, Response

NAMED = "bearer "


async def authorise(
    keeper: Keeper, headers: Headers, path: str, target: Target | None, method: str, query: Mapping[str, str]
) -> User | None:
    """Whoever asks, or in whose name it is asked, where they may; None for the administrator. Raises ApiError."""
    bearer, (user, groups) = _read_bearer(headers), read_impersonated(headers)
    if not bearer and not user:
        return None
    verb = read_verb(target, method, query) if target is not None else method.lower()

    def decide(world: World) -> tuple[User, Response | None]:
        asker = _find_account(world, bearer) if bearer else ADMINISTRATOR
        if user:
            if bearer:
                check_impersonation(world, asker, user, groups)
            asker = find_user(user, groups)
        if target is None:
            check_path(world, asker, verb, path)
            return asker, None
        where = (target.namespace, target.name, target.subresource)
        return asker, refuse(world, asker, Request(verb, target.resource.name, *where, query=query))

    asker, refusal = await keeper.ask(decide)
    if refusal is not None:
        raise ApiError(refusal.code, refusal.body["reason"], refusal.body["message"], refusal.body.get("details") or {})
    return asker


def _find_account(world: World, bearer: str) -> User:
    """The ServiceAccount that a token stands for. Raises Unauthorized."""
    found = find_bearer(world, bearer)
    if found is None:
        raise ApiError(401, "Unauthorized", "Unauthorized", {})
    account = Account(*found)
    return User(account.user, account.groups)


def _read_bearer(headers: Headers) -> str:
    """The token of this cluster that a request bears, or ""."""
    given = headers.get("authorization", "")
    bearer = given[len(NAMED) :].strip() if given.lower().startswith(NAMED) else ""
    return bearer if bearer.startswith(TOKEN) else ""


def read_impersonated(headers: Headers) -> tuple[str, tuple[str, ...]]:
    """In whose name a request is made, "" for nobody else's, and the groups that it says. Raises ApiError."""
    user, groups = headers.get("impersonate-user", ""), tuple(headers.getlist("impersonate-group"))
    if groups and not user:
        why = f"requested [{{Group  {groups[0]}  authentication.k8s.io/v1  }}] without impersonating a user"
        raise ApiError(500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]})
    return user, groups
