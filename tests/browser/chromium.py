"""A headless Chromium, spoken to over a pipe in its DevTools protocol: no port, no driver, no further package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

PATIENCE = 60.0
"""Seconds until an answer must have come."""


def binary() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A browser with one empty page; it ends with the block."""
    to_browser, to_us = os.pipe(), os.pipe()
    # The browser reads its descriptor 3 and writes to 4; the shell puts them there, wherever ours lie.
    script = f'exec "$0" "$@" 3<&{to_browser[0]} 4>&{to_us[1]}'
    process = subprocess.Popen(
        ["bash", "-c", script, binary() or "chromium", *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(to_browser[0], to_us[1]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser[0])
    os.close(to_us[1])
    try:
        yield Page(to_browser[1], to_us[0])
    finally:
        process.terminate()
        process.wait(PATIENCE)
        os.close(to_browser[1])
        os.close(to_us[0])


class Page:
    """A page of a browser.

    Attributes:
        events: all that it told by itself: `{"method": ..., "params": ...}`.
    """

    def __init__(self, to_browser: int, to_us: int) -> None:
        self.to_browser, self.to_us = to_browser, to_us
        self.unread, self.count, self.session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        """Ask for something and wait for the answer."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self.count:
                assert "error" not in told, (method, told["error"])
                return told["result"]
            self.events.append(told)

    def open(self, url: str) -> None:
        """Load a page and wait until its script has run."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, (expression, told["exceptionDetails"])
        return told["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(condition):
            assert time.monotonic() < end, condition
            select.select([], [], [], 0.02)

    def press(self, key: str) -> None:
        """A key, as a person presses it."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if kind == "keyDown" else {}))

    def click(self, selector: str) -> None:
        """The middle of an element, with the mouse."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def size(self, width: int, height: int, scale: float = 1, dark: bool = False) -> None:
        """The window, as it is on another device."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path, whole: bool = False) -> bytes:
        """A screenshot as PNG, also written to a file."""
        data = base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])
        path.write_bytes(data)
        return data

    def complaints(self) -> list[str]:
        """Errors that the browser told of since the page was opened, and requests to anywhere but the page itself."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file:"):
                found.append(params["request"]["url"])
        return found

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.to_us], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            more = os.read(self.to_us, 1 << 20)
            assert more, "the browser is gone"
            self.unread += more
        message, _, self.unread = self.unread.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told
