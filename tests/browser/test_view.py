"""Pages of episodes in a real browser."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import gymnasium as gym
import pytest
from chromium import binary, chromium

from aiops_gym.agents.base import make
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.view import read_entry, render_listing, render_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(binary() is None, reason="there is no Chromium here")]

HOSTILE = (
    "</pre></script><script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">\n\n  blanks\t."
)
PROBLEM = "misconfig_app_hotel_res-mitigation-1"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    profile = tmp_path_factory.mktemp("profile")
    with chromium(profile) as found:
        yield found
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture(scope="module")
def mended():
    env = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM)
    return run_episode(env, make("reference", env), seed=3, signals=True)


@pytest.fixture
def show(browser, tmp_path):
    """Open a page and give the browser; nothing may be complained of in the end."""

    def opened(text, width=1280, height=800, dark=False):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        browser.size(width, height, dark=dark)
        browser.open(path.as_uri())
        return browser

    yield opened
    assert browser.complaints() == []


def odd(*texts, **rest):
    first = {"agent": "a", "session_id": "s", "problem_id": "p", "start_time": 0.0, "end_time": 5.0}
    steps = [
        {"action": text, "observation": text, "reward": 0.0, "time": 5.0 * i, "tool": "", "error": ""}
        for i, text in enumerate(texts, 1)
    ]
    return Episode(**{**first, "steps": steps, **rest})


LOOK = "(name => document.querySelector(`.node[data-i='${name}']`).getAttribute('class'))"


def test_choosing_a_step_shows_the_system_after_it(show, mended):
    browser = show(render_page(mended))
    geo = list(mended.health["components"]).index("geo")
    last = len(mended.steps)
    assert browser.evaluate(f"{LOOK}({geo})") == "node down"
    for i in range(1, last + 1):
        browser.press("j")
        assert browser.evaluate("document.querySelector('.step.now').id") == f"step-{i}"
    assert browser.evaluate(f"{LOOK}({geo})") == "node well"
    assert browser.evaluate("document.getElementById('moment').value") == str(last)
    assert browser.evaluate("document.getElementById('caption').textContent").startswith(f"After step {last}: ")
    browser.press("k")
    assert browser.evaluate("document.querySelector('.at.now').dataset.step") == str(last - 1)
    browser.click("#step-1 summary")
    assert browser.evaluate("document.querySelector('.step.now').id") == "step-1"
    browser.click(f".at[data-step='{last}'] rect")
    assert browser.evaluate("document.querySelector('.step.now').id") == f"step-{last}"
    assert browser.evaluate("document.querySelector('.step.now').open")


def test_choosing_a_step_shows_alerts_and_signals_as_they_were_then(show, mended):
    browser = show(render_page(mended))
    cursors = "[...document.querySelectorAll('.{} .cursor')].map(l => parseFloat(l.getAttribute('x1')))"
    start, end = mended.signals["start"], mended.signals["end"]
    for i, time in enumerate([0.0, *(step["time"] for step in mended.steps)]):
        place = 100 * (time - start) / (end - start)
        for kind in ("bars", "curve"):
            assert {round(x, 1) for x in browser.evaluate(cursors.format(kind))} == {round(place, 1)}
        states = browser.evaluate("[...document.querySelectorAll('.state')].map(s => s.textContent)")
        active = [
            any(a <= time and (z is None or time < z) for a, _, z in alert["spans"])
            for alert in mended.signals["alerts"]
        ]
        assert sum(state != "-" for state in states) == sum(active)
        assert all(
            browser.evaluate("[...document.querySelectorAll('.state')].map(s => s.classList.contains(s.textContent))")
        )
        assert browser.evaluate("document.querySelectorAll('.at.now').length") == (2 if i else 0)
        browser.press("j")


def test_a_mark_beside_the_alerts_leads_to_its_step_and_components_fold_out_by_keyboard(show, mended):
    browser = show(render_page(mended))
    browser.click(".alerts .at[data-step='2'] rect")
    assert browser.evaluate("document.querySelector('.step.now').id") == "step-2"
    browser.evaluate("document.querySelector('.inside summary').focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('.inside').open")
    seen = browser.evaluate("document.querySelector('.inside .curve').getBoundingClientRect().width")
    assert seen > 40


def test_bars_and_marks_lie_on_one_axis(show, mended):
    browser = show(render_page(mended))
    box = "(e => { const b = e.getBoundingClientRect(); return [b.left, b.width]; })"
    lanes = browser.evaluate(f"[...document.querySelectorAll('.alerts .bars')].map({box})")
    assert len(lanes) == len(mended.signals["alerts"]) + 2
    assert all(lane == lanes[0] for lane in lanes)


def test_the_slider_and_the_player_move_through_the_episode(show, mended):
    browser = show(render_page(mended))
    browser.evaluate("(s => { s.value = 2; s.dispatchEvent(new Event('input')); })(document.getElementById('moment'))")
    assert browser.evaluate("document.querySelector('.step.now').id") == "step-2"
    browser.click("#play")
    browser.wait(f"document.querySelector('.step.now').id === 'step-{len(mended.steps)}'")
    browser.wait("document.getElementById('play').textContent === '▶'")


def test_a_search_hides_the_steps_without_the_text_and_finds_the_places(show, mended):
    browser = show(render_page(mended))
    browser.press("/")
    for key in "RESTARTS":
        browser.press(key)
    browser.wait("document.getElementById('found').textContent !== ''")
    hits = [i for i, s in enumerate(mended.steps, 1) if "restarts" in json.dumps(s).lower()]
    seen = browser.evaluate(
        "[...document.querySelectorAll('.step')].filter(s => !s.hidden).map(s => Number(s.dataset.step))"
    )
    assert seen == hits
    browser.press("Enter")
    assert browser.evaluate("document.getElementById('found').textContent").startswith("1 of ")
    browser.press("Escape")
    assert browser.evaluate("[...document.querySelectorAll('.step')].every(s => !s.hidden)")


def test_the_graph_may_take_the_whole_width(show, mended):
    browser = show(render_page(mended))
    width = "document.getElementById('system').getBoundingClientRect().width"
    beside = browser.evaluate(width)
    browser.click("#wider")
    assert browser.evaluate(width) > 1.5 * beside
    browser.click("#wider")
    assert browser.evaluate(width) == beside


def test_all_steps_open_and_close(show, mended):
    browser = show(render_page(mended))
    turns = "[...document.querySelectorAll('.step')].slice(1)"
    for wanted in (False, True):
        browser.click("#all")
        assert browser.evaluate(f"{turns}.every(s => s.open === {str(wanted).lower()})")
    browser.press("j")
    browser.press("o")
    assert not browser.evaluate("document.getElementById('step-1').open")


def test_hostile_texts_are_read_and_not_obeyed(show):
    browser = show(render_page(odd(HOSTILE, agent=HOSTILE, problem_id=HOSTILE)))
    assert browser.evaluate("document.title") != "hit"
    assert browser.evaluate("document.querySelector('.step[data-step=\"1\"] pre.out').textContent") == HOSTILE
    assert browser.evaluate("document.images.length") == 0


def test_what_stands_in_an_output_may_not_even_run_when_it_is_let_in(show):
    text = render_page(odd("LET-IN")).replace("LET-IN", "<script>document.title='hit'</script>")
    browser = show(text)
    assert browser.evaluate("document.title") != "hit"
    told = browser.complaints()
    browser.events.clear()
    assert len(told) >= 1
    assert all("Content Security Policy" in each for each in told)


def test_a_thousand_steps_and_a_megabyte_are_no_burden(show):
    browser = show(render_page(odd(*["line of output\n" * 100] * 999, "0123456789abcde\n" * 65_536)))
    took = browser.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert took < 15_000
    assert browser.evaluate("document.querySelectorAll('.step').length") == 1000
    browser.evaluate("document.getElementById('step-1000').open = true")
    length = browser.evaluate("document.querySelector('#step-1000 pre.out').textContent.length")
    assert length == 16 * 65_536


@pytest.mark.parametrize("width", [360, 375, 390, 768, 1280, 1920])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window(show, mended, width, dark):
    several = [read_entry(replace(mended, agent=f"agent{i}" * 9, task=f"{i % 4}"), "a.html") for i in range(9)]
    for text in (
        render_page(mended),
        render_page(odd("x" * 5000)),
        render_listing(several, "t" * 300),
        render_listing(several[:1] * 3, "t"),
    ):
        browser = show(text, width=width, dark=dark)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(13, 17, 23)") is dark


def test_a_phone_shows_how_each_episode_of_a_list_went(show, mended):
    browser = show(render_listing([read_entry(mended, "a.html")], "list"), width=360)
    last = "document.querySelector('#rows td:nth-child(5)').getBoundingClientRect().right"
    assert 0 < browser.evaluate(last) <= 360


def test_a_list_is_sorted_and_filtered(show, mended):
    lines = [read_entry(mended, "a.html"), read_entry(odd("x", agent="zed", problem_id="other"), "b.html")]
    browser = show(render_listing(lines, "list"))
    first = "document.querySelector('#rows tr:not([hidden]) td').textContent"
    browser.click("#list th:nth-child(1) button")
    assert browser.evaluate(first) == PROBLEM
    browser.click("#list th:nth-child(1) button")
    assert browser.evaluate(first) == "other"
    browser.click("#list th:nth-child(5) button")
    assert browser.evaluate(first) == "other"
    browser.evaluate(
        "(c => { c.value = 'reference'; c.dispatchEvent(new Event('change')); })(document.querySelector('select'))"
    )
    assert browser.evaluate(first) == PROBLEM
    assert browser.evaluate("document.getElementById('found').textContent") == "1 of 2"
    browser.press("/")
    for key in "zz":
        browser.press(key)
    assert browser.evaluate("document.getElementById('found').textContent") == "0 of 2"


def shown(browser):
    return browser.evaluate("[...document.querySelectorAll('#rows tr:not([hidden])')].map(r => r.cells[0].textContent)")


def test_a_list_is_filtered_by_outcome(show):
    ends = {
        "solved": {"success": True, "reward": 1.0, "terminated": True},
        "partly": {"reward": 0.5, "terminated": True},
        "late": {"truncated": True},
        "broken": {"infra_error": True},
        "gone": {"agent_error": "quota"},
    }
    browser = show(
        render_listing([read_entry(odd("x", problem_id=name, **end), "a.html") for name, end in ends.items()], "list")
    )
    wanted = [
        *[("", list(ends)), ("solved", ["solved"]), ("failed", ["partly", "late"]), ("errors", ["broken", "gone"])],
        *[("out of steps", ["late"]), ("agent gave up", ["gone"])],
    ]
    for value, names in wanted:
        change = f"(c => {{ c.value = {json.dumps(value)}; c.dispatchEvent(new Event('change')); }})"
        browser.evaluate(f"{change}(document.querySelector('select[name=outcome]'))")
        assert shown(browser) == names
        assert browser.evaluate("document.getElementById('found').textContent") == f"{len(names)} of 5"


def test_a_phone_scrolls_tables_and_pictures_within_the_page(show, mended):
    several = [read_entry(replace(mended, agent=f"agent{i}", task=f"{i % 4}"), "a.html") for i in range(9)]
    browser = show(render_listing(several, "list"), width=375)
    inner = "[...document.querySelectorAll('.scroll')].map(e => [e.scrollWidth > e.clientWidth, e.clientWidth < 375])"
    found = browser.evaluate(inner)
    assert len(found) == 4  # means, picture, agents by problem, episodes
    assert found[:3] == [[True, True]] * 3
    browser = show(render_page(mended), width=375)
    wide = "[...document.querySelectorAll('pre')].some(e => e.getBoundingClientRect().right > 375)"
    assert browser.evaluate(wide) is False


def test_a_command_is_copied_as_it_was_typed(show):
    command = "kubectl get pods -A |\n  grep 'a  b'"
    browser = show(render_page(odd(f"I look.\n```\nexec_shell({command!r})\n```")))
    for prevented, selector, text in (
        ("", ".step:not(.prompt) > .named .copy", command),
        ("throw new Error('no clipboard here');", ".typed .copy", f"I look.\n```\nexec_shell({command!r})\n```"),
    ):
        browser.evaluate("document.querySelectorAll('.typed').forEach((e) => { e.open = true; })")
        browser.evaluate(f"navigator.clipboard.writeText = async (text) => {{ {prevented} window.taken = text; }}")
        browser.click(selector)
        browser.wait(f"document.querySelector({selector!r}).textContent === 'Copied'")
        got = "getSelection().toString()" if prevented else "window.taken"
        assert browser.evaluate(got).strip("\n") == text


def test_the_table_of_agents_by_problem_leads_to_the_episodes(show, mended):
    lines = [read_entry(replace(mended, agent=name), f"{name}.html") for name in ("a", "b")]
    browser = show(render_listing(lines, "list"))
    assert browser.evaluate("[...document.querySelectorAll('#matrix td a')].map(a => a.getAttribute('href'))") == [
        "a.html",
        "b.html",
    ]
    assert browser.evaluate("getComputedStyle(document.querySelector('#matrix td')).color") == "rgb(26, 127, 55)"


def test_a_page_can_be_printed_with_everything_in_it(show, mended):
    browser = show(render_page(mended))
    browser.click("#all")
    pdf = browser.call("Page.printToPDF")["data"]
    assert len(pdf) > 20_000


def test_a_picture_shows_the_colours_of_health(show, mended, tmp_path):
    browser = show(render_page(mended), width=1280, height=1000)
    data = browser.picture(tmp_path / "page.png")
    assert data.startswith(b"\x89PNG")
    fill = "getComputedStyle(document.querySelector('.node.{} rect')).fill"
    assert browser.evaluate(fill.format("down")) == "rgb(255, 220, 217)"
    assert browser.evaluate(fill.format("well")) == "rgb(218, 251, 225)"
