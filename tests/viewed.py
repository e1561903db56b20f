"""Episodes for the viewer, and its pages as a browser reads them."""

from __future__ import annotations

from html.parser import HTMLParser

from aiops_gym.runs import Episode

EMPTY = {"meta", "input", "link", "br", "img", "hr", "base"}


class Reader(HTMLParser):
    """A page as a browser reads it: elements, and the text of each."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.fresh = [], [], False
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(element)
        if tag not in EMPTY:
            self.open.append(element)
        self.fresh = tag == "pre"

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        if self.fresh:  # a browser swallows the first line end of a <pre>
            data, self.fresh = data.removeprefix("\n"), False
        for element in self.open:
            element["text"] += data

    def all(self, tag, class_=None):
        found = [e for e in self.elements if e["tag"] == tag]
        return [e for e in found if class_ is None or class_ in (e.get("class") or "").split()]

    def texts(self, tag, class_=None):
        return [element["text"] for element in self.all(tag, class_)]


def made(steps=(), **rest):
    first = {"agent": "a", "session_id": "s", "problem_id": "p", "start_time": 0.0, "end_time": 5.0}
    return Episode(**{**first, "steps": list(steps), **rest})


def step(action="```\nx()\n```", observation="", **rest):
    return {"action": action, "observation": observation, "reward": 0.0, "time": 5.0, "tool": "", "error": "", **rest}


def telemetry(text):
    """Signals in which a text stands wherever one can."""
    alert = {"name": text, "severity": text, "labels": {text: text}, "what": text, "spans": [[-20.0, 0.0, None]]}
    curves = {text: {"rate": "1 2 - 4", text: text}}
    return {"start": -30.0, "end": 60.0, "step": 30.0, "operations": curves, "components": curves, "alerts": [alert]}
