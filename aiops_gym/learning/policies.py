"""A trained network as something that chooses actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from aiops_gym import caches
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.extra import require_extra
from aiops_gym.learning.settings import ALGORITHMS


class Policy:
    """Chooses by a learner of Stable-Baselines3.

    Args:
        learner: a `MaskablePPO`, which gets the mask, or a `PPO`.
    """

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.masked = _masked(learner.policy_class)

    def choose(self, env: gym.Env[Any, Any], seen: Any, sampled: bool = False) -> int:
        """The action of highest probability, or one drawn from all; of those that the environment's mask allows."""
        masks = {"action_masks": env.get_wrapper_attr("action_masks")()} if self.masked else {}
        action, _ = self.learner.predict(seen, deterministic=not sampled, **masks)
        return int(action)

    def fits(self, env: gym.Env[Any, Any]) -> None:
        """Raises AiopsGymError for an environment that shows or takes something else than the one it learned in."""
        for name in ("observation_space", "action_space"):
            before, now = getattr(self.learner, name), getattr(env, name)
            if before != now:
                why = "the settings.json beside it says for which task, and with which tools (env_kwargs here)"
                raise AiopsGymError(f"the model was trained with another {name}: {why}; {before} there, {now} here")


def find_algorithm(name: str) -> Any:
    """The class of a learner, by one of `ALGORITHMS`."""
    require_extra()
    from sb3_contrib import MaskablePPO  # noqa: PLC0415
    from stable_baselines3 import PPO  # noqa: PLC0415

    return MaskablePPO if name == ALGORITHMS[0] else PPO


def _masked(policy_class: Any) -> bool:
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy  # noqa: PLC0415

    return issubclass(policy_class, MaskableActorCriticPolicy)


def load(path: str) -> Policy:
    """The policy in a file that a training run or `MaskablePPO.save` has written.

    The file holds pickled objects: load only what comes from people you trust.

    Raises:
        AiopsGymError: there is no such file, or none of a learner.
    """
    file = Path(path)
    if not file.is_file():
        raise AiopsGymError(f"there is no model {path}")
    return _loaded(str(file.resolve()), file.stat().st_mtime_ns)


@caches.function(4, "loading a trained network from its file")
def _loaded(path: str, changed: int) -> Policy:
    require_extra()
    from stable_baselines3.common.save_util import load_from_zip_file  # noqa: PLC0415

    try:
        data = load_from_zip_file(path, device="cpu", print_system_info=False)[0] or {}
        name = ALGORITHMS[0] if _masked(data["policy_class"]) else ALGORITHMS[1]
    except (ValueError, KeyError, EOFError) as error:
        raise AiopsGymError(f"{path} holds no model: {error}") from None
    return Policy(find_algorithm(name).load(path, device="cpu"))
