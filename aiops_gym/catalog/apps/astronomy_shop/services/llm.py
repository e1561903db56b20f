"""A stand-in for a language model, in Python (Flask)."""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, MIB, answer

service = {
    "name": "llm",
    "port": 8000,
    "env": FLAGD,
    "params": {
        "language": "python",
        "protocol": "http",
        "listens": 8000,
        "routes": [["/v1/chat/completions", "POST /v1/chat/completions"]],
        "pages": {"/v1/models": '{"object": "list", "data": [{"id": "astronomy-llm"}]}'},
        "startup": [
            {"log": ["", " * Serving Flask app 'app'", "info"]},
            {"log": ["", " * Running on http://127.0.0.1:8000", "info"], "listen": True},
        ],
        "handlers": answer("POST /v1/chat/completions", 6.0),
        "memory": 74 * MIB,
        "boot": 1600,
    },
}
