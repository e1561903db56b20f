"""The files of a data folder: what WiredTiger and mongod keep there for the databases that are in it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING

from aiops_gym.sim.software.mongo.data import Data

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Disk

VITAL = ("WiredTiger", "WiredTiger.wt", "WiredTiger.turtle", "_mdb_catalog.wt")
ALWAYS = {
    "WiredTiger": 47,
    "WiredTiger.lock": 21,
    "WiredTiger.turtle": 1_255,
    "WiredTiger.wt": 94_208,
    "WiredTigerHS.wt": 4_096,
    "_mdb_catalog.wt": 36_864,
    "diagnostic.data/": 0,
    "journal/": 0,
    "journal/WiredTigerLog.0000000001": 65_536,
    "journal/WiredTigerPreplog.0000000001": 16_384,
    "mongod.lock": 2,
    "sizeStorer.wt": 36_864,
    "storage.bson": 114,
}
SMALL, PAGE = 20_480, 4_096


def list_files(disk: Disk) -> Mapping[str, int]:
    """Bytes by path; nothing if no server has used the folder."""
    data = Data(disk)
    if data.empty:
        return {}
    found, number, stem = dict(ALWAYS), 0, _stem(disk)
    for database in data.databases():
        for name in data.collections(database):
            size = len(data.documents(database, name)) * 120 // PAGE * PAGE + SMALL
            indexes = 1 + len(data.indexes(database, name))
            found[f"collection-{number}-{stem}.wt"] = size
            for index in range(1, indexes + 1):
                found[f"index-{number + index}-{stem}.wt"] = SMALL
            number += indexes + 1
    return dict(sorted(found.items()))


def _stem(disk: Disk) -> int:
    """The number that all tables of a data folder share."""
    return int.from_bytes(blake2b(disk.prefix.encode(), digest_size=8).digest(), "big") >> 2
