"""Episodes as Minari data sets: what was played can be loaded, its masks allow it, and it can be played again."""

from __future__ import annotations

import gymnasium as gym
import minari
import numpy as np
import pytest
from door_contract import run_whole_page

from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.demonstrations import record
from aiops_gym.wrappers import NumericInfo

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


@pytest.mark.parametrize(("task", "player"), [("detection", "script"), ("mitigation", "reference")])
def test_numbers_come_with_the_masks_that_allowed_them(task, player):
    record("aiops_gym/some-v0", task, player, 2, seed=3)
    kept = minari.load_dataset("aiops_gym/some-v0")
    assert kept.total_episodes == 2
    for episode in kept.iterate_episodes():
        taken = np.arange(len(episode.actions))
        assert episode.infos["action_mask"][taken, episode.actions].all()
        assert len(episode.observations["components"]) == len(episode.actions) + 1
        assert episode.terminations[-1]
    if player == "reference":
        assert all(episode.infos["is_success"][-1] for episode in kept.iterate_episodes())


def test_an_episode_of_texts_is_played_again_to_the_same_end():
    record("aiops_gym/texts-v0", "localization", "text:reference", 1, seed=1)
    kept = minari.load_dataset("aiops_gym/texts-v0")
    (episode,) = kept.iterate_episodes()
    about = next(iter(kept.storage.get_episode_metadata([0])))
    env = NumericInfo(gym.make("aiops_gym:aiops_gym/Localization-v0", split="train"))
    texts = [env.reset(seed=int(about["seed"]), options=about["options"])[0]]
    rewards = []
    for action in episode.actions:
        text, reward, *_ = env.step(action)
        texts.append(text)
        rewards.append(reward)
    assert texts == list(episode.observations)
    assert rewards == list(episode.rewards)
    assert rewards[-1] == 1.0


def test_a_wrong_player_is_named_with_those_that_there_are():
    with pytest.raises(AiopsGymError, match="text:NAME"):
        record("aiops_gym/no-v0", "detection", "nobody", 1)
    with pytest.raises(AiopsGymError, match="detection"):
        record("aiops_gym/no-v0", "prevention", "script", 1)


def test_the_command_line_says_what_was_kept(capsys):
    assert run(["demonstrations", "aiops_gym/two-v0", "--task", "detection", "--episodes", "2"]) == 0
    assert "2 episodes" in capsys.readouterr().out


def test_the_lines_of_the_page_run():
    assert run_whole_page("demonstrations")["kept"].total_episodes == 3
