"""Measurements of the bank's databases and caches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aiops_gym.openrca.synth.families import decisive, family
from aiops_gym.openrca.synth.model import Kpi

_REDIS_NAMES = """
aof_enabled 1, aof_rewrite_in_progress 0, aof_rewrite_scheduled 0, blocked_clients 0,
client_biggest_input_buf 0, client_longest_output_list 0, connected_clients 60..110, connected_slaves 1,
evicted_keys 0, latest_fork_usec 900, loading 0, maxmemory 4e9, mem_fragmentation_ratio 1.3, pubsub_channels 1,
rdb_bgsave_in_progress 0, rdb_changes_since_last_save 900, redis_git_dirty 0, rejected_connections 0,
used_memory 2e8..5e8, used_memory_peak 6e8, used_memory_rss 5e8, instantaneous_ops_per_sec 300..700
"""
_REDIS_TOTALS = """
expired_keys 20, keyspace_hits 9000, keyspace_misses 700, lru_clock 60, total_commands_processed 30000,
total_connections_received 40, uptime_in_seconds 60, used_cpu_sys 2, used_cpu_sys_children 0.1,
used_cpu_user 1.5, used_cpu_user_children 0.2
"""


def redis() -> Iterator[Kpi]:
    """Of a cache; their names have two blanks."""
    plain = {"spread": 0.02, "daily": 0.1, "missing": 0.18, "decimals": 2}
    for kpi in (
        *family("", _REDIS_NAMES, **plain),
        *family("", _REDIS_TOTALS, total=True, missing=0.18),
    ):
        told = kpi.name in ("used_memory", "connected_clients", "instantaneous_ops_per_sec")
        yield replace(kpi, name=f"redis-Redis_6379_Redis  ({kpi.name})", decisive=told)
    yield from family("redis-Redis_6379_", "redis server 1", spread=0, missing=0.18)


_MYSQL_TOTALS = """
Aborted Clients 0.2, Aborted Connects 0.1, Binlog Cache Disk Use 0, Binlog Cache Use 40,
Binlog stmt cache disk use 0, Binlog stmt cache use 1, Bytes Received 90000, Bytes Sent 400000, Com Delete 4,
Com Delete Multi 0, Com Insert 30, Com Insert Select 1, Com Load 0, Com Replace 1, Com Replace Select 0,
Com Select 420, Com Update 60, Com Update Multi 0, Connections 12, Created Tmp Disk Tables 4,
Created Tmp Files 0.1, Created Tmp Tables 30, Handler Commit 260, Handler Delete 4, Handler Read First 9,
Handler Read Key 2500, Handler Read Next 30000, Handler Read Prev 10, Handler Read Rnd 600,
Handler Read Rnd Next 90000, Handler Rollback 1, Handler Savepoint 0, Handler Savepoint Rollback 0,
Handler Update 90, Handler Write 900, Innodb Row Lock Time 20, Innodb Row Lock Waits 0.3,
Innodb buffer pool pages flushed 90, Innodb buffer pool read ahead 5, Innodb buffer pool read ahead evicted 0,
Innodb buffer pool read ahead rnd 0, Innodb buffer pool read requests 60000, Innodb buffer pool reads 20,
Innodb buffer pool wait free 0, Innodb buffer pool write requests 900, Innodb data fsyncs 120,
Innodb data read 900000, Innodb data reads 60, Innodb data writes 300, Innodb data written 2e6,
Innodb dblwr pages written 90, Innodb dblwr writes 12, Innodb log waits 0, Innodb log write requests 400,
Innodb log writes 90, Innodb os log fsyncs 90, Innodb os log written 90000, Innodb pages created 2,
Innodb pages read 60, Innodb pages written 100, Key Read Requests 90, Key Reads 0, Key Write Requests 20,
Key Writes 10, MySQL  Queries 700, Opened Tables 1, Opened table definitions 0.2, Qcache Hits 0,
Qcache Inserts 0, Qcache Lowmem Prunes 0, Qcache Not Cached 400, Questions 690, Rows Read 90000,
Select Full Join 2, Select Full Range Join 0, Select Range 60, Select Range Check 0, Select Scan 40,
SlowQueries 0.6, Sort Merge Passes 0, Sort Range 20, Sort Rows 2000, Sort Scan 30, Table Locks Immediate 300,
Table Locks Waited 0, Table open cache hits 600, Table open cache misses 1, Table open cache overflows 1
"""
_MYSQL_NOW = """
CurrentSQLMaxRunningTime 1, GetConnectedStateOfMysqld 1, GetResponseTimeOfMysqld 0.02,
Innodb buffer pool pages dirty 200, Innodb buffer pool pages free 8000, Innodb buffer pool pages misc 900,
Innodb buffer pool pages total 65528, Innodb data pending fsyncs 0, Innodb data pending reads 0,
Innodb data pending writes 0, Innodb open files  num 280, Innodb os log pending fsyncs 0,
Innodb os log pending writes 0, Innodb row lock current waits 0, Innodb row lock time avg 30,
Innodb row lock time max 4000, LongestTrxActiveTime 1, Max Used Connections 290, Max trx rows locked 3,
MaxConnections 1000, MaxTrxRowsModified 2, Open Files 40, Open Tables 900, Qcache Free Blocks 1,
Qcache Free Memory 1.03e6, Qcache Queries In Cache 0, Qcache Total Blocks 1, Slave Open Temp Tables 0,
Slow launch threads 0, Tc log max pages used 0, Tc log page waits 0, Threads Cached 12, Threads Created 40,
ThreadsConnected 90..160, ThreadsRunning 3, max trx lock memory bytes 1136
"""


MYSQL = decisive(
    (
        *family("Mysql-MySQL_3306_", _MYSQL_TOTALS, daily=0.6, total=True, decimals=0, missing=0.25),
        *family("Mysql-MySQL_3306_", _MYSQL_NOW, spread=0.03, missing=0.25, decimals=3),
    ),
    *("MySQL  Queries", "ThreadsConnected", "ThreadsRunning"),
)
