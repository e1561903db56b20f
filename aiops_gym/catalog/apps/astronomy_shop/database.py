"""What PostgreSQL runs at its first start: a user for the services, and their tables."""

from __future__ import annotations

PRODUCTS = {
    "0PUK6V6EV0": "Solar System Color Imager",
    "1YMWWN1N4O": "Eclipsmart Travel Refractor Telescope",
    "2ZYFJ3GM2N": "Roof Binoculars",
    "66VCHSJNUP": "Starsense Explorer Refractor Telescope",
    "6E92ZMYYFZ": "Solar Filter",
    "9SIQT8TOJO": "Optical Tube Assembly",
    "HQTGWGPNH4": "The Comet Book",
    "L9ECAV7KIM": "Lens Cleaning Kit",
    "LS4PSXUNUM": "Red Flashlight",
    "OLJCESPC7Z": "National Park Foundation Explorascope",
}

_ROWS = ",\n".join(f"    ('{number}', '{name}', 'USD')" for number, name in PRODUCTS.items())
_REVIEWS = ",\n".join(f"    ('{number}', 'guest', 'As described.', 4.0)" for number in PRODUCTS)

SCRIPT = f"""CREATE USER otelu WITH PASSWORD 'otelp';

CREATE SCHEMA accounting;
GRANT USAGE ON SCHEMA accounting TO otelu;
CREATE TABLE accounting."order" (order_id TEXT PRIMARY KEY);
CREATE TABLE accounting.shipping (shipping_tracking_id TEXT PRIMARY KEY, order_id TEXT NOT NULL);
CREATE TABLE accounting.orderitem (product_id TEXT NOT NULL, quantity INT NOT NULL, order_id TEXT NOT NULL);
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA accounting TO otelu;

CREATE SCHEMA reviews;
GRANT USAGE ON SCHEMA reviews TO otelu;
CREATE TABLE reviews.productreviews (product_id TEXT, username TEXT, description TEXT, score NUMERIC(2,1));
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA reviews TO otelu;
INSERT INTO reviews.productreviews (product_id, username, description, score) VALUES
{_REVIEWS};

CREATE SCHEMA catalog;
GRANT USAGE ON SCHEMA catalog TO otelu;
CREATE TABLE catalog.products (id TEXT PRIMARY KEY, name TEXT NOT NULL, price_currency_code TEXT NOT NULL);
GRANT SELECT ON ALL TABLES IN SCHEMA catalog TO otelu;
INSERT INTO catalog.products (id, name, price_currency_code) VALUES
{_ROWS};
"""
