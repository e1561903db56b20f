"""Log lines of the bank: garbage collectors, access, start-up and slow queries."""

from __future__ import annotations

from aiops_gym.openrca.synth.model import Amount, Choice, Field, Hex, Lines, Stamp, Uptime, Whole

_TOMCATS = ("Tomcat01", "Tomcat02", "Tomcat03", "Tomcat04")
_JAVA = (*_TOMCATS, "MG01", "MG02", "IG01", "IG02")

_GC = (Stamp(format="%Y-%m-%dT%H:%M:%S."), Whole(low=0, high=999, width=3), "+0800: ", Uptime(median=2.1e6, decimals=3))
_PAGES = Choice(of=("/trade/query", "/trade/transfer", "/login", "/account/balance", "/message/send", "/heartbeat"))
_AGENT = '"-" "k6/0.29.0 (https://k6.io/)"'
_CLIENT = ("10.", Whole(low=1, high=4), ".", Whole(low=0, high=31), ".", Whole(low=2, high=250))
_CLOCK = (" - - [", Stamp(format="%d/%b/%Y:%H:%M:%S +0800"), '] "')
_HTTP = Choice(of=(" 200 ", " 302 ", " 404 ", " 500 "), weights=(970, 20, 8, 2))


def _gc(rate: float, *text: Field) -> Lines:
    return Lines(log="gc", at=_JAVA, rate=rate, text=(*_GC, ": ", *text), scaled=False)


_SECONDS = (" secs] [Times: user=", Amount(median=0.4, decimals=2), " sys=0.02, real=", Amount(median=0.1, decimals=2))
_HEAP = (Whole(low=280_000, high=900_000), "K->", Whole(low=90_000, high=400_000), "K(2027264K), ")

FULL_GC: tuple[Field, ...] = (
    *(*_GC, ": [Full GC (Allocation Failure) ", Whole(low=1_990_000, high=2_027_000), "K->"),
    *(Whole(low=1_980_000, high=2_020_000), "K(2027264K), ", Amount(median=1.9, decimals=7), *_SECONDS, " secs]"),
)
"""What the collector of a heap without room writes, again and again."""

KINDS = (
    Lines(
        log="localhost_access_log",
        at=_TOMCATS,
        rate=260,
        text=(
            *(*_CLIENT, *_CLOCK, Choice(of=("GET ", "POST "), weights=(3, 2)), "/UOCP", _PAGES, ' HTTP/1.1"', _HTTP),
            *(Amount(median=900, spread=0.8), " ", Amount(median=0.31, decimals=3, slowed=True), " ", _AGENT),
        ),
    ),
    Lines(
        log="apache_access_log",
        at=("apache01", "apache02"),
        rate=210,
        text=(
            *(*_CLIENT, *_CLOCK, Choice(of=("GET ", "POST "), weights=(4, 1)), _PAGES, ' HTTP/1.1"', _HTTP),
            *(Amount(median=1800, spread=0.9), " ", Amount(median=310_000, slowed=True)),
        ),
    ),
    _gc(6.0, "[GC (Allocation Failure) ", *_HEAP, Amount(median=0.03, decimals=7), *_SECONDS, " secs]"),
    _gc(0.2, "[GC (CMS Initial Mark) [1 CMS-initial-mark: ", *_HEAP, Amount(median=0.01, decimals=7), " secs]"),
    _gc(0.05, "[GC (GCLocker Initiated GC) ", *_HEAP, Amount(median=0.05, decimals=7), " secs]"),
    _gc(0.01, "[Full GC (Metadata GC Threshold) ", *_HEAP, Amount(median=0.6, decimals=7), " secs]"),
    Lines(
        log="catalina",
        at=_TOMCATS,
        rate=0.15,
        load=False,
        scaled=False,
        text=(
            *(Stamp(format="%d-%b-%Y %H:%M:%S."), Whole(low=0, high=999, width=3), " INFO [main] "),
            Choice(
                of=(
                    "org.springframework.context.support.AbstractApplicationContext.prepareRefresh Refreshing context",
                    "redis.clients.jedis.JedisSentinelPool.initPool Created JedisPool to master at 10.3.1.21:6379",
                    "com.alibaba.dubbo.registry.zookeeper.ZookeeperRegistry.notify Notify urls for subscribe",
                    "org.apache.catalina.startup.HostConfig.deployDirectory Deployment of web application finished",
                ),
                weights=(2, 5, 8, 1),
            ),
        ),
    ),
    Lines(
        log="mysql_slow_log",
        at=("Mysql01", "Mysql02"),
        rate=0.6,
        scaled=False,
        text=(
            *("# User@Host: uocp[uocp] @ [", *_CLIENT, "]  Id: ", Whole(low=100, high=99_999), "\n# Query_time: "),
            *(Amount(median=1.8, decimals=6), "  Lock_time: ", Amount(median=0.0002, decimals=6), " Rows_sent: "),
            *(Amount(median=12, spread=1.2), "  Rows_examined: ", Amount(median=60_000, spread=1.0), "\nSELECT "),
            *("id, state FROM t_message WHERE batch = '", Hex(digits=8), "';"),
        ),
    ),
    Lines(
        log="mysql_error_log",
        at=("Mysql01", "Mysql02"),
        rate=0.05,
        scaled=False,
        text=(
            *(
                Stamp(format="%Y-%m-%d %H:%M:%S "),
                Whole(low=1000, high=60_000),
                " [Note] InnoDB: page_cleaner: 1000ms ",
            ),
            *("intended loop took ", Whole(low=4000, high=9000), "ms. The settings might not be optimal."),
        ),
    ),
)
