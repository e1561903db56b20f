"""The test data that the services put into their databases at the first start, as upstream's `db.go` files do.

Six real hotels of San Francisco, and further ones along a line; see `sim/software/mongo/templates` for the templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.types import Json

PLACES = (
    (37.7867, -122.4112),
    (37.7854, -122.4005),
    (37.7854, -122.4071),
    (37.7936, -122.3930),
    (37.7831, -122.4181),
    (37.7863, -122.4015),
)
LAT, LON = {"$linear": [37.7835, 0.006]}, {"$linear": [-122.41, 0.008]}
"""Upstream's 37.7835 + n / 500 * 3 and -122.41 + n / 500 * 4."""

ABOUT = (
    "A 6-minute walk from Union Square and 4 minutes from a Muni Metro station, this luxury hotel designed by Philippe "
    "Starck features an artsy furniture collection in the lobby, including work by Salvador Dali.",
    "Less than a block from the Yerba Buena Center for the Arts, this trendy hotel is a 12-minute walk "
    "from Union Square.",
    "A 3-minute walk from the Powell Street cable-car turnaround and BART rail station, this hip hotel 9 minutes from "
    "Union Square combines high-tech lodging with artsy touches.",
    "This waterfront hotel with Bay Bridge views is 3 blocks from the Financial District and a 4-minute walk from the "
    "Ferry Building.",
    "Located in the Tenderloin neighborhood, a 10-minute walk from a BART rail station, this retro motor lodge has "
    "hosted many rock musicians and other celebrities since the 1950s. It’s a 4-minute walk from the "
    "historic Great American Music Hall nightclub.",
    "St. Regis Museum Tower is a 42-story, 484 ft skyscraper in the South of Market district of San Francisco, "
    "California, adjacent to Yerba Buena Gardens, Moscone Center, PacBell Building and the San Francisco Museum of "
    "Modern Art.",
)
HOTELS = (
    ("Clift Hotel", "(415) 775-4700", "495", "Geary St", "94102"),
    ("W San Francisco", "(415) 777-5300", "181", "3rd St", "94103"),
    ("Hotel Zetta", "(415) 543-8555", "55", "5th St", "94103"),
    ("Hotel Vitale", "(415) 278-3700", "8", "Mission St", "94105"),
    ("Phoenix Hotel", "(415) 776-1380", "601", "Eddy St", "94109"),
    ("St. Regis San Francisco", "(415) 284-4000", "125", "3rd St", "94109"),
)


def _hotel(n: int) -> Json:
    name, phone, number, street, code = HOTELS[n - 1]
    address: Json = {"streetNumber": number, "streetName": street, "city": "San Francisco", "state": "CA"}
    address |= {"country": "United States", "postalCode": code, "lat": PLACES[n - 1][0], "lon": PLACES[n - 1][1]}
    return {"id": str(n), "name": name, "phoneNumber": phone, "description": ABOUT[n - 1], "address": address}


def _plan(hotel: Any, last: Any, rate: Any, inclusive: Any, code: str = "KNG", bed: str = "King sized bed") -> Json:
    room = {"bookableRate": rate, "code": code, "roomDescription": bed, "totalRate": rate}
    room["totalRateInclusive"] = inclusive
    return {"hotelId": hotel, "code": "RACK", "inDate": "2015-04-09", "outDate": last, "roomType": room}


RATES = (109.0, 139.0, 109.0, 129.0, 119.0, 149.0)
PRICES = (150.0, 120.0, 190.0, 160.0, 140.0, 200.0)
SPREAD = {"$cycle": [109.0, 120.0, 124.0, 132.0, 232.0]}
"""Upstream's rates by n % 5."""

SEEDS: Mapping[str, Json] = {
    "geo": {
        "collection": "geo",
        "documents": 80,
        "first": [{"hotelId": str(n), "lat": lat, "lon": lon} for n, (lat, lon) in enumerate(PLACES, 1)],
        "template": {"hotelId": "{n}", "lat": LAT, "lon": LON},
    },
    "profile": {
        "collection": "hotels",
        "query": {"id": "1"},
        "documents": 80,
        "first": [_hotel(n) for n in range(1, 7)],
        "template": {
            "id": "{n}",
            "name": "St. Regis San Francisco",
            "phoneNumber": "(415) 284-40{n}",
            "description": ABOUT[5],
            "address": {**_hotel(6)["address"], "lat": LAT, "lon": LON},
        },
    },
    "rate": {
        "collection": "inventory",
        "documents": 27,
        "first": [
            _plan("1", "2015-04-10", 109.0, 123.17),
            _plan("2", "2015-04-10", 139.0, 153.09, "QN", "Queen sized bed"),
            _plan("3", "2015-04-10", 109.0, 123.17),
        ],
        "template": _plan(
            "{n}",
            {"$cycle": ["2015-04-17", "2015-04-24"]},
            SPREAD,
            {"$cycle": [123.17, 140.0, 144.0, 158.0, 258.0]},
        ),
        "start": 9,
        "step": 3,
    },
    "recommendation": {
        "collection": "recommendation",
        "documents": 80,
        "first": [
            {"hotelId": str(n), "lat": PLACES[n - 1][0], "lon": PLACES[n - 1][1], "rate": rate, "price": price}
            for n, (rate, price) in enumerate(zip(RATES, PRICES, strict=True), 1)
        ],
        "template": {
            "hotelId": "{n}",
            "lat": LAT,
            "lon": LON,
            "rate": {"$cycle": [109.0, 135.0, 135.0, 124.0, 135.0, 135.0, 120.0, 135.0, 135.0, 232.0, 135.0, 135.0]},
            "price": {"$cycle": [123.17, 179.0, 179.0, 144.0, 179.0, 179.0, 140.0, 179.0, 179.0, 258.0, 179.0, 179.0]},
        },
    },
    "reservation": {
        "collection": "number",
        "query": {"hotelId": "1"},
        "documents": 80,
        "first": [{"hotelId": str(n), "number": 200} for n in range(1, 7)],
        "template": {"hotelId": "{n}", "number": {"$cycle": [200, 300, 250]}},
        "more": [
            {
                "collection": "reservation",
                "documents": 1,
                "first": [
                    {
                        "hotelId": "4",
                        "customerName": "Alice",
                        "inDate": "2015-04-09",
                        "outDate": "2015-04-10",
                        "number": 1,
                    }
                ],
            }
        ],
    },
    "user": {
        "collection": "user",
        "query": {"username": "Cornell_0"},
        "documents": 501,
        "template": {"username": "Cornell_{n}", "password": {"$sha256": "{n}", "$times": 10}},
        "start": 0,
    },
}
"""What a service makes sure of when it starts: collection, number of documents, and how they look."""


def _place(data: str) -> Json:
    return {"host": f"mongodb-{data}", "database": f"{data}-db", "collection": SEEDS[data]["collection"]}


DATES = [["inDate", "outDate"], "Please specify inDate/outDate params", []]
LOCATION = [["lat", "lon"], "Please specify location params", []]
LOGIN = [["username", "password"], "Please specify username and password", []]

WEB: Mapping[str, Json] = {
    "/hotels": {
        "needs": [DATES, LOCATION],
        "show": {"features": _place("profile"), "by": _place("geo"), "within": _place("rate"), "limit": 5},
    },
    "/recommendations": {
        "needs": [LOCATION, [["require"], "Please specify require params", ["dis", "rate", "price"]]],
        "show": {"features": _place("profile"), "by": _place("recommendation")},
    },
    "/user": {"needs": [LOGIN], "show": {"login": _place("user"), "then": "Login successfully!"}},
    "/reservation": {
        "needs": [
            DATES,
            [["hotelId"], "Please specify hotelId params", []],
            [["customerName"], "Please specify customerName params", []],
            LOGIN,
        ],
        "show": {"login": _place("user"), "then": "Reserve successfully!"},
    },
}
"""What the frontend asks of a request, by path, and what it shows."""
