"""Locust, from which users come. Flag: some of its tasks ask for the first page, a hundred times each.

Ten users wait 5.5 seconds on average between two tasks, and 5 of the 32 shares of tasks are those (`rate` is their
tasks a second).
"""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB

FLAG = "loadGeneratorFloodHomepage"

service = {
    "name": "load-generator",
    "port": 8089,
    "limit": "1500Mi",
    "env": (
        ("LOCUST_WEB_HOST", "0.0.0.0"),
        ("LOCUST_WEB_PORT", "8089"),
        ("LOCUST_USERS", "10"),
        ("LOCUST_SPAWN_RATE", "1"),
        ("LOCUST_HOST", "http://frontend-proxy:8080"),
        ("LOCUST_HEADLESS", "false"),
        ("LOCUST_AUTOSTART", "true"),
        ("LOCUST_BROWSER_TRAFFIC_ENABLED", "true"),
        ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python"),
        *FLAGD,
        ("FLAGD_OFREP_PORT", "8016"),
        *GRPC,
    ),
    "params": {
        "language": "python",
        "format": "python",
        "protocol": "http",
        "listens": "LOCUST_WEB_PORT",
        "pages": {"/": "<!DOCTYPE html><html><head><title>Locust</title></head></html>"},
        "startup": [
            {"log": ["locust.main main.py:495", "Starting Locust 2.42.6", "info"]},
            {
                "log": ["locust.main main.py:318", "Starting web interface at http://0.0.0.0:8089", "info"],
                "listen": True,
            },
            {"log": ["locust.runners runners.py:539", "Ramping to 10 users at a rate of 1.00 per second", "info"]},
        ],
        "floods": {"flag": FLAG, "operation": "index", "rate": 0.28},
        "turned": {FLAG: [[["root locustfile.py:241", "User flooding homepage 100 times", "info"]], []]},
        "memory": 540 * MIB,
        "cpu": 0.18,
        "boot": 4200,
        "threads": 60,
    },
}
