"""Confirmations by mail, in Ruby. Flag: what it sends stays in its memory."""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, HTTP, MIB, answer

SENT = "Order confirmation email sent to: user{user}@example.com"

service = {
    "name": "email",
    "port": 8080,
    "limit": "100Mi",
    "env": (("EMAIL_PORT", "8080"), ("APP_ENV", "production"), *HTTP, *FLAGD),
    "params": {
        "language": "ruby",
        "protocol": "http",
        "listens": "EMAIL_PORT",
        "routes": [["/send_order_confirmation", "POST /send_order_confirmation"]],
        "startup": [
            {"log": ["", "== Sinatra has taken the stage on 8080 for production with backup from Puma", "info"]},
            {"log": ["", "* Listening on http://0.0.0.0:8080", "info"], "listen": True},
        ],
        "handlers": answer("POST /send_order_confirmation", 2.8, says=[["", SENT, "info"]]),
        "leaks": {"flag": "emailMemoryLeak", "bytes": 900},
        "memory": 58 * MIB,
        "boot": 2100,
    },
}
