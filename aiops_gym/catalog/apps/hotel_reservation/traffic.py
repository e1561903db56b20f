"""What guests ask of Hotel Reservation, and whom each service asks in turn.

The mix is that of the benchmark's wrk2 script (60 % search, 39 % recommendations, 0.5 % log-in, 0.5 % booking). The
milliseconds are the services' own work on one core; span names are those of the real services.
"""

from __future__ import annotations

from aiops_gym.types import Json

OPERATIONS: tuple[Json, ...] = (
    {"name": "search", "weight": 0.60, "handler": "HTTP GET /hotels"},
    {"name": "recommend", "weight": 0.39, "handler": "HTTP GET /recommendations"},
    {"name": "login", "weight": 0.005, "handler": "HTTP POST /user"},
    {"name": "reserve", "weight": 0.005, "handler": "HTTP POST /reservation"},
)
OPERATIONS = tuple({**operation, "service": "frontend", "port": 5000} for operation in OPERATIONS)

_STAY = "inDate=2015-04-09&outDate=2015-04-10&lat=38.0235&lon=-122.095"
_GUEST = "username=Cornell_1&password=1111111111"
REQUESTS = {
    "search": _STAY,
    "recommend": "require=rate&lat=38.0235&lon=-122.095",
    "login": _GUEST,
    "reserve": f"{_STAY}&hotelId=1&customerName=Cornell_1&number=1&{_GUEST}",
}
"""What the benchmark's script sends along, with one of the dates, places and guests that it draws."""


def _grpc(service: str, handler: str, line: int, message: str) -> Json:
    log = [f"services/frontend/server.go:{line}", message]
    return {"kind": "grpc", "service": f"srv-{service}", "handler": handler, "log": log}


def _cache(host: str, span: str, ms: float = 0.4) -> Json:
    service = {"memcached-reserve": "reservation"}.get(host, host.removeprefix("memcached-"))
    log = [f"services/{service}/server.go:96", "Memcached error = {error}"]
    return {"kind": "memcached", "host": host, "port": 11211, "span": span, "ms": ms, "on_error": "panic", "log": log}


def _mongo(data: str, span: str, share: float, on_error: str = "panic", ms: float = 1.4) -> Json:
    log = [f"services/{data}/server.go:118", f"Failed get {data} data: {{error}}"]
    call = {"kind": "mongo", "host": f"mongodb-{data}", "port": 27017, "span": span, "ms": ms, "p": share}
    return {**call, "database": f"{data}-db", "on_error": on_error, "log": log}


SEARCH = "/search.Search/Nearby"
PROFILES = "/profile.Profile/GetProfiles"
AVAILABLE = "/reservation.Reservation/CheckAvailability"
RESERVE = "/reservation.Reservation/MakeReservation"
RECOMMEND = "/recommendation.Recommendation/GetRecommendations"
CHECK_USER = "/user.User/CheckUser"

HANDLERS: dict[str, dict[str, Json]] = {
    "frontend": {
        "HTTP GET /hotels": {
            "ms": 0.9,
            "calls": [
                _grpc("search", SEARCH, 183, "SearchHandler Search Nearby failed"),
                _grpc("reservation", AVAILABLE, 205, "SearchHandler CheckAvailability failed"),
                _grpc("profile", PROFILES, 219, "SearchHandler GetProfiles failed"),
            ],
        },
        "HTTP GET /recommendations": {
            "ms": 0.7,
            "calls": [
                _grpc("recommendation", RECOMMEND, 267, "RecommendHandler GetRecommendations failed"),
                _grpc("profile", PROFILES, 282, "RecommendHandler GetProfiles failed"),
            ],
        },
        "HTTP POST /user": {
            "ms": 0.5,
            "calls": [_grpc("user", CHECK_USER, 430, "UserHandler CheckUser failed")],
        },
        "HTTP POST /reservation": {
            "ms": 0.6,
            "calls": [
                _grpc("user", CHECK_USER, 496, "ReservationHandler CheckUser failed"),
                _grpc("reservation", RESERVE, 512, "ReservationHandler MakeReservation failed"),
            ],
        },
    },
    "search": {
        SEARCH: {
            "ms": 0.8,
            "calls": [
                {"kind": "grpc", "service": "srv-geo", "handler": "/geo.Geo/Nearby"},
                {"kind": "grpc", "service": "srv-rate", "handler": "/rate.Rate/GetRates"},
            ],
        }
    },
    "geo": {"/geo.Geo/Nearby": {"ms": 0.6, "calls": []}},
    "rate": {
        "/rate.Rate/GetRates": {
            "ms": 0.7,
            "calls": [_cache("memcached-rate", "memcached_get_multi_rate"), _mongo("rate", "mongo_rate", 0.03)],
        }
    },
    "profile": {
        PROFILES: {
            "ms": 0.8,
            "calls": [
                _cache("memcached-profile", "memcached_get_profile"),
                _mongo("profile", "mongo_profile", 0.03, on_error="ignore"),
            ],
        }
    },
    "recommendation": {RECOMMEND: {"ms": 0.6, "calls": []}},
    "reservation": {
        AVAILABLE: {
            "ms": 0.9,
            "calls": [
                _cache("memcached-reserve", "memcached_capacity_get_multi_number"),
                _mongo("reservation", "mongodb_capacity_get_multi_number", 0.02),
                _cache("memcached-reserve", "memcached_reserve_get_multi_number"),
            ],
        },
        RESERVE: {
            "ms": 1.1,
            "calls": [
                _cache("memcached-reserve", "memcached_reserve_get_multi_number"),
                _mongo("reservation", "mongodb_capacity_get_multi_number", 1.0),
            ],
        },
    },
    "user": {CHECK_USER: {"ms": 0.3, "calls": []}},
}
