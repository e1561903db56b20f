"""What the shop's API answers when all is well, in the shapes of the demo's gateway; texts are shorter ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from aiops_gym.catalog.apps.astronomy_shop.database import PRODUCTS
from aiops_gym.types import Json

DETAILS = {
    "0PUK6V6EV0": ("SolarSystemColorImager", 175, 0, ("accessories", "telescopes")),
    "1YMWWN1N4O": ("EclipsmartTravelRefractorTelescope", 129, 95, ("telescopes", "travel")),
    "2ZYFJ3GM2N": ("RoofBinoculars", 209, 95, ("binoculars",)),
    "66VCHSJNUP": ("StarsenseExplorer", 349, 95, ("telescopes",)),
    "6E92ZMYYFZ": ("SolarFilter", 69, 95, ("accessories", "telescopes")),
    "9SIQT8TOJO": ("OpticalTubeAssembly", 3599, 0, ("accessories", "telescopes", "assembly")),
    "HQTGWGPNH4": ("TheCometBook", 0, 99, ("books",)),
    "L9ECAV7KIM": ("LensCleaningKit", 21, 95, ("accessories",)),
    "LS4PSXUNUM": ("RedFlashlight", 57, 8, ("accessories", "flashlights")),
    "OLJCESPC7Z": ("NationalParkFoundationExplorascope", 101, 96, ("telescopes",)),
}
"""Picture, dollars, cents and categories of each product."""

CODES = "EURUSDJPYBGNCZKDKKGBPHUFPLNRONSEKCHFISKNOKHRKRUBTRYAUDBRLCADCNYHKDIDRILSINRKRWMXNMYRNZDPHPSGDTHBZAR"
"""Those of the currencies, each of three letters."""

RECOMMENDED = ("LS4PSXUNUM", "9SIQT8TOJO", "66VCHSJNUP", "HQTGWGPNH4")
TITLE = "<!DOCTYPE html><html><head><title>OTel demo</title></head></html>"
MISSING = "<!DOCTYPE html><html><head><title>404: This page could not be found</title></head></html>"
NGINX = (
    "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n"
    "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)


CART = '{"userId":"{sessionId}","items":[]}'


def _write(what: Json) -> str:
    return json.dumps(what, separators=(",", ":"))


def _product(number: str) -> Json:
    picture, units, cents, categories = DETAILS[number]
    price = {"currencyCode": "USD", "units": units, "nanos": cents * 10_000_000}
    about = {"id": number, "name": PRODUCTS[number], "description": PRODUCTS[number], "picture": f"{picture}.jpg"}
    return {**about, "priceUsd": price, "categories": categories}


SHOWN: Mapping[str, Json] = {
    "GET /": {"body": TITLE},
    "GET /api/products": {"body": _write([_product(number) for number in DETAILS])},
    "GET /api/products/{productId}": {
        "bodies": {number: _write(_product(number)) for number in DETAILS},
        "unknown": [500, "Internal Server Error"],
    },
    "GET /api/recommendations": {"body": _write([_product(number) for number in RECOMMENDED])},
    "GET /api/product-reviews/{productId}": {
        "body": _write([{"username": "guest", "description": "As described.", "score": "4.0"}])
    },
    "POST /api/product-ask-ai-assistant/{productId}": {"body": _write({"response": "As described."})},
    "GET /api/data": {"body": _write([{"redirectUrl": "/product/2ZYFJ3GM2N", "text": PRODUCTS["2ZYFJ3GM2N"]}])},
    "GET /api/cart": {"body": CART},
    "POST /api/cart": {"body": CART},
    "POST /api/checkout": {
        "body": _write({"orderId": "{orderId}", "shippingTrackingId": "{shippingTrackingId}", "items": []})
    },
    "GET /api/currency": {"body": _write(re.findall("...", CODES))},
}
"""By handler; `software/service_answers` says what stands for what."""

IMAGES = {f"products/{details[0]}.jpg": "\ufffd\ufffd\ufffd\ufffdJFIF" for details in DETAILS.values()}
IMAGES |= {"Banner.png": "\ufffdPNG\r\n"}
