"""Secrets of type `kubernetes.io/service-account-token`: filled with a token, gone with their account."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.controllers.serviceaccount import make_certificate

TYPE = "kubernetes.io/service-account-token"
NAME = "kubernetes.io/service-account.name"
UID = "kubernetes.io/service-account.uid"


class TokenController:
    """Looks after token Secrets that somebody asked for."""

    name = "token"
    watches = ("secrets", "serviceaccounts")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A new token Secret, or those of an account that came or went."""
        if resource == "secrets":
            if new is not None and new.get("type") == TYPE:
                yield key_of(new)
            return
        account = new if new is not None else old
        if account is not None and (old is None or new is None):
            for secret in world.store.all("secrets", namespace_of(account)):
                if secret.get("type") == TYPE and get(secret, "metadata", "annotations", NAME) == name_of(account):
                    yield key_of(secret)

    def reconcile(self, world: World, key: str) -> None:
        """Fill a Secret, or remove it when its account is not there."""
        secret = world.store.by_key("secrets", key)
        if secret is None or secret.get("type") != TYPE:
            return
        notes = get(secret, "metadata", "annotations", default={})
        account = world.store.get("serviceaccounts", namespace_of(secret), str(notes.get(NAME, "")))
        if account is None or notes.get(UID, uid_of(account)) != uid_of(account):
            world.store.remove("secrets", key)
            return
        text = f"eyJhbGciOiJSUzI1NiJ9.{draws.hexes(96, world.seed, 'token', uid_of(secret))}"
        plain = {"ca.crt": make_certificate(), "namespace": namespace_of(secret), "token": text}
        data = {k: b64encode(v.encode()).decode() for k, v in plain.items()} | (secret.get("data") or {})
        meta = {**secret["metadata"], "annotations": {**notes, UID: uid_of(account)}}
        if data != secret.get("data") or notes.get(UID) is None:
            world.store.put("secrets", {**secret, "data": data, "metadata": meta})


controller = TokenController()
