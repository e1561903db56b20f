"""Draws the pictures of README and of the site into docs/pictures: `make pictures`.

`episode.svg`, `metastable.svg` and `frame.png` are the same for the same version of the package; `viewer.png` is what
Chromium makes of a page, and differs with its version.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import gymnasium as gym
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))

from metastable import draw
from terminal import svg

from aiops_gym.agents.base import make
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.view import render_page

PROBLEM, SEED = "misconfig_app_hotel_res-mitigation-1", 7
STEP = 2
"""Whose frame is drawn: the log of what is broken."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"),
    *("--force-device-scale-factor=1", "--window-size=1280,1400"),
)


def played() -> Episode:
    """The episode of all pictures."""
    env = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM)
    return run_episode(env, make("reference", env), seed=SEED, signals=True)


def frame(path: Path) -> None:
    """One moment as `render_mode="rgb_array"` draws it."""
    env = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM, render_mode="rgb_array")
    env.reset(seed=SEED)
    for action in env.unwrapped.reference_actions()[:STEP]:
        env.step(action)
    Image.fromarray(env.render()).quantize(128).save(path, optimize=True)


def viewer(episode: Episode, path: Path) -> bool:
    """What `aiops-gym view` makes of the episode, in a browser; False where there is none."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source = Path(folder, "episode.html")
        source.write_text(render_page(episode), encoding="utf-8")
        made = Path(folder, "viewer.png")
        words = [*QUIET, f"--user-data-dir={folder}/profile", f"--screenshot={made}", source.as_uri()]
        subprocess.run([browser, *words], check=True, capture_output=True, timeout=120)
        Image.open(made).convert("RGB").quantize(128).save(path, optimize=True)
    return True


def main(folder: Path) -> None:
    """Draw all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    episode = played()
    (folder / "episode.svg").write_text(svg(episode), encoding="utf-8")
    (folder / "metastable.svg").write_text(draw(), encoding="utf-8")
    frame(folder / "frame.png")
    if not viewer(episode, folder / "viewer.png"):
        sys.exit(f"{folder}/viewer.png is left as it was: there is no {BROWSERS[0]} here (apt-get install chromium)")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
