"""The network that the learning runs use: it scores each component, and each change, with the same weights.

What is learnt on one component holds for all: a row of numbers goes in for each, a score comes out for the action that
looks at it. So does a row for each change of a field. A plain network would have to see every pair of fault and
component before it knew it.
"""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from aiops_gym.wrappers.recorded_looks import SUSPECT
from aiops_gym.wrappers.symptoms import CHANGE, COMPONENT, OTHER

WIDTH = 64

_OVER = ("component", "other")

GLOBAL = ("whole", "budget", "last", "results")
"""Parts of the observation that are about the whole episode."""


class Scores(BaseFeaturesExtractor):
    """A score for each action, and behind them what the value of the state is read from.

    Args:
        observation_space: of `learning.stack.wrap`.
        slots: number of the component that each action is about, -1 for none.
        others: number of the other object likewise.
        kinds: what each of them does with it, as numbers from 0.
        width: of the hidden layers.
    """

    def __init__(
        self,
        observation_space: gym.spaces.Dict,
        slots: list[int],
        others: list[int],
        kinds: list[int],
        width: int = WIDTH,
    ) -> None:
        super().__init__(observation_space, len(slots) + width)
        sizes = {name: int(space.shape[0]) for name, space in observation_space.items() if space.shape}
        self.shared = [name for name in GLOBAL if name in sizes]
        self.actions = len(slots)
        whole = sum(sizes[name] for name in self.shared)
        self.component = _layers(len(COMPONENT), width, width)
        self.other = _layers(len(OTHER), width, width)
        self.state = _layers(whole + 5 * width, 2 * width, width)
        self.component_score = _scorer(width, width, max(kinds) + 1)
        self.other_score = _scorer(width, width, max(kinds) + 1)
        self.own = nn.Linear(width, self.actions)
        self.name = nn.Parameter(torch.zeros(self.actions, 8))
        self.change = _scorer(len(CHANGE) + 9, width, 1, hidden=32)
        for last in (self.own, self.component_score[2], self.other_score[2], self.change[2]):
            nn.init.orthogonal_(last.weight, 0.01)  # all actions are as likely at first
            nn.init.zeros_(last.bias)
        # What is offered once for each component is as likely at first, all together, as what is offered once.
        for last, index in ((self.component_score[2], slots), (self.other_score[2], others)):
            nn.init.constant_(last.bias, -math.log(max(1, (max(index) + 1) / 2)))
        nn.init.normal_(self.name, std=0.1)
        self.register_buffer("kinds", torch.tensor(kinds))
        self.register_buffer("slots", torch.tensor(slots).clamp(min=0))
        self.register_buffer("is_slot", torch.tensor([float(each >= 0) for each in slots]))
        self.register_buffer("alone", 1 - self.is_slot - torch.tensor([float(each >= 0) for each in others]))
        self.register_buffer("others", torch.tensor(others).clamp(min=0))
        self.register_buffer("is_other", torch.tensor([float(each >= 0) for each in others]))

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """Scores of shape (batch, actions), then features of shape (batch, width)."""
        batch = len(observations["whole"])
        components = observations["components"].view(batch, -1, len(COMPONENT))
        others = observations["others"].view(batch, -1, len(OTHER))
        changes = observations["changes"].view(batch, -1, len(CHANGE))
        rows, other_rows = self.component(components), self.other(others)
        there, other_there = components[:, :, :1], others[:, :, :1]
        state = self.state(
            torch.cat(
                [
                    *(observations[name] for name in self.shared),
                    (rows * there).max(1).values,
                    (rows * there).sum(1) / there.sum(1).clamp(min=1),
                    (rows * components[:, :, 1:2]).sum(1),
                    (other_rows * other_there).max(1).values,
                    (other_rows * others[:, :, 1:2]).sum(1),
                ],
                1,
            )
        )
        scores = self.own(state) * self.alone
        scores = scores + _score(self.component_score, rows, state)[:, self.slots, self.kinds] * self.is_slot
        scores = scores + _score(self.other_score, other_rows, state)[:, self.others, self.kinds] * self.is_other
        used = observations["used"].unsqueeze(2)
        names = (self.name * self.alone.unsqueeze(1)).expand(batch, -1, -1)
        scores = scores + _score(self.change, torch.cat([changes, used, names], 2), state)[:, :, 0]
        return torch.cat([scores, state], 1)


def _layers(size: int, hidden: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, out), nn.ReLU())


def _scorer(size: int, state: int, out: int, hidden: int = WIDTH) -> nn.ModuleList:
    return nn.ModuleList([nn.Linear(size, hidden), nn.Linear(state, hidden), nn.Linear(hidden, out)])


def _score(layers: nn.ModuleList, rows: Tensor, state: Tensor) -> Tensor:
    """Some numbers for each row, given the state: (batch, rows, numbers)."""
    return layers[2](torch.relu(layers[0](rows) + layers[1](state).unsqueeze(1)))


class SlotScores(BaseFeaturesExtractor):
    """A score for each action on a recorded incident: suspects are scored by the same weights, looks each by its own.

    Args:
        observation_space: of `RecordedLooks`.
        actions: how many there are: looks, close looks at each suspect, answers with each suspect, and one more.
        width: of the hidden layers.
    """

    def __init__(self, observation_space: gym.spaces.Dict, actions: int, width: int = WIDTH) -> None:
        super().__init__(observation_space, actions + width)
        sizes = {name: int(space.shape[0]) for name, space in observation_space.items() if space.shape}
        self.actions, self.size = actions, len(SUSPECT)
        self.slots = sizes["suspects"] // self.size
        self.suspect = _layers(self.size, width, width)
        self.state = _layers(sizes["whole"] + sizes["used"] + 2 * width, 2 * width, width)
        self.score = _scorer(width, width, 2)
        self.own = nn.Linear(width, actions - 2 * self.slots)
        for last in (self.own, self.score[2]):
            nn.init.orthogonal_(last.weight, 0.01)  # all actions are as likely at first
            nn.init.zeros_(last.bias)
        # What is offered once for each suspect is as likely at first, all together, as a few of the looks.
        nn.init.constant_(self.score[2].bias, -math.log(self.slots / 2))

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """Scores of shape (batch, actions), then features of shape (batch, width)."""
        rows = observations["suspects"].view(-1, self.slots, self.size)
        seen, there = self.suspect(rows), rows[:, :, :1]
        mean = (seen * there).sum(1) / there.sum(1).clamp(min=1)
        whole = [observations["whole"], observations["used"], mean, (seen * there).max(1).values]
        state = self.state(torch.cat(whole, 1))
        own, slots = self.own(state), _score(self.score, seen, state)
        scores = torch.cat([own[:, :-1], slots[:, :, 0], slots[:, :, 1], own[:, -1:]], 1)
        return torch.cat([scores, state], 1)


class _Part(nn.Module):
    """Some of the features, and what follows on them."""

    def __init__(self, begin: int, end: int | None, then: nn.Module) -> None:
        super().__init__()
        self.begin, self.end, self.then = begin, end, then

    def forward(self, features: Tensor) -> Tensor:
        return self.then(features[:, self.begin : self.end])


class _Scored:
    """Takes the first features as the scores of the actions, and reads the value from the others."""

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]
        extractor, actions = self.features_extractor, self.features_extractor.actions
        width = extractor.features_dim - actions
        self.action_net = _Part(0, actions, nn.Identity())
        self.value_net = _Part(actions, None, nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class ScoredPolicy(_Scored, MultiInputActorCriticPolicy):
    """For PPO."""


class MaskableScoredPolicy(_Scored, MaskableMultiInputActorCriticPolicy):
    """For MaskablePPO."""


def make_policy_kwargs(env: gym.Env[Any, Any], *, masked: bool = True) -> tuple[type[Any], dict[str, Any]]:
    """The policy class and its keyword arguments, for a wrapped environment.

    Args:
        env: one of `learning.stack.wrap`.
        masked: for MaskablePPO; else for PPO.
    """
    if not env.has_wrapper_attr("layout"):
        slotted = {"actions": int(env.action_space.n)}  # type: ignore[attr-defined]
        return _named(masked, SlotScores, slotted)
    layout = env.get_wrapper_attr("layout")
    slots, others = ([slot.index if slot.macro.over == over else -1 for slot in layout] for over in _OVER)
    names = {each: list(dict.fromkeys(slot.macro.name for slot in layout if slot.macro.over == each)) for each in _OVER}
    kinds = [names[slot.macro.over].index(slot.macro.name) if slot.macro.over else 0 for slot in layout]
    extractor = {"slots": slots, "others": others, "kinds": kinds}
    return _named(masked, Scores, extractor)


def _named(masked: bool, extractor: type[Any], kwargs: dict[str, Any]) -> tuple[type[Any], dict[str, Any]]:
    return MaskableScoredPolicy if masked else ScoredPolicy, {
        "features_extractor_class": extractor,
        "features_extractor_kwargs": kwargs,
        "net_arch": [],
        "ortho_init": False,
    }
