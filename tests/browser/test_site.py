"""The documentation site as it lies in a folder, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import binary, chromium

pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(binary() is None, reason="there is no Chromium here")]

ROOT = Path(__file__).parents[2]
FOUND = "document.querySelectorAll('.md-search-result__item a').length > 0"


def test_the_search_finds_pages_without_a_server(tmp_path):
    site, profile = tmp_path / "site", tmp_path / "profile"
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    with chromium(profile) as browser:
        browser.size(1280, 800)
        for page in ("index.html", "howto/kubectl.html"):
            browser.events.clear()
            browser.call("Page.navigate", url=(site / page).as_uri())
            browser.wait(f"document.readyState === 'complete' && location.pathname.endsWith('/{page}')")
            browser.click("input.md-search__input")
            for key in "kubeconfig":
                browser.press(key)
            browser.wait(FOUND)
            first = browser.evaluate("document.querySelector('.md-search-result__item a').href")
            assert first.startswith((site / "howto" / "kubectl.html").as_uri())
            assert [each for each in browser.complaints() if not each.startswith("data:")] == []
    shutil.rmtree(profile, ignore_errors=True)
