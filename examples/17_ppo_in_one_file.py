"""Proximal policy optimisation with masked actions, in one file: torch, Gymnasium, and nothing of Stable-Baselines3.

    pip install "aiops_gym[sb3]"    # brings torch; nothing else of that extra is used here
    python examples/17_ppo_in_one_file.py --task localization --tier standard --steps 65536
    python examples/17_ppo_in_one_file.py --steps 6144 --problems user_unregistered_mongodb-detection-1,...  # a try

Read it from top to bottom, change it, and keep it: the whole learner is here, as in CleanRL. The worlds are stepped in
this process, each behind the wrappers that `aiops-gym train` uses: outputs become rows of numbers, and the number of an
action becomes a command. What it prints at the end is measured on the split `test`, which training never shows.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor, nn

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.envs.vector import WorldsVectorEnv
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers.symptoms import CHANGE, COMPONENT, OTHER

ENVS = {task: f"aiops_gym/{task.capitalize()}-v0" for task in ("detection", "localization", "analysis", "mitigation")}
TRAINING_SEED = 2**32  # seeds of tests lie below, so that no healthy episode is in both


def parse_arguments() -> argparse.Namespace:
    """What can be set; the defaults are those of the tables in docs/learning.md, where both have them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", dest="asked", choices=sorted(ENVS), default="detection")
    parser.add_argument("--tier", choices=["basic", "standard", "hard"], help="without it all that is not hard")
    parser.add_argument("--problems", default="", help="ids to learn and to be tested on, instead of the splits")
    parser.add_argument("--steps", type=int, default=49_152, help="actions in all worlds together")
    parser.add_argument("--seed", dest="chance", type=int, default=0)
    parser.add_argument("--worlds", type=int, default=16, help="played at the same time")
    parser.add_argument("--horizon", type=int, default=32, help="steps of each world between two updates")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=2e-3, help="step size, which falls to nothing")
    parser.add_argument("--gamma", type=float, default=0.98)
    parser.add_argument("--trace", type=float, default=0.95, help="lambda of the generalised advantage")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.02)
    parser.add_argument("--divergence", type=float, default=0.03, help="from the player at which an update ends early")
    parser.add_argument(
        "--guided", type=float, default=0.5, help="share of the run in which answers may wait for looks"
    )
    parser.add_argument("--tests", type=int, default=64, help="episodes of the test split, before and after")
    parser.add_argument("--out", type=Path, help="file for the weights")
    return parser.parse_args()


def make_world(args: argparse.Namespace, split: str) -> gym.Env:
    """One world of a split behind the wrappers; it draws healthy episodes as well."""
    drawn = {"problem": args.problems.split(",")} if args.problems else {"split": split, "tier": args.tier}
    before_repairs = args.asked == "mitigation"
    return wrap(gym.make(ENVS[args.asked], **drawn), gamma=args.gamma, before_repairs=before_repairs)


class Network(nn.Module):
    """Scores each action that is about a component with the same weights, whichever component it is.

    What is learnt of one service so holds for all. An observation is a `Dict` of flat boxes: `components` and `others`
    are tables, a row for each thing that was seen; `changes` has a row for each action; the rest is about the episode.
    """

    def __init__(self, env: gym.Env, width: int = 64) -> None:
        super().__init__()
        layout = env.get_wrapper_attr("layout")
        sizes = {name: space.shape[0] for name, space in env.observation_space.items()}
        self.whole = [name for name in ("whole", "budget", "last", "results") if name in sizes]
        self.rows = nn.ModuleDict({"component": mlp(len(COMPONENT), width), "other": mlp(len(OTHER), width)})
        self.state = mlp(sum(sizes[name] for name in self.whole) + 4 * width, width)
        self.value = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.kind = nn.Embedding(len({slot.macro.name for slot in layout}), 16)
        self.score = nn.Sequential(nn.Linear(2 * width + 16 + len(CHANGE) + 1, width), nn.ReLU(), nn.Linear(width, 1))
        names = sorted({slot.macro.name for slot in layout})
        slots = sizes["components"] // len(COMPONENT)
        # Where the row of each action stands among those of components, of other things, and one of zeros.
        start = {"component": 0, "other": slots, "": slots + sizes["others"] // len(OTHER)}
        row = [start[slot.macro.over] + (slot.index if slot.macro.over else 0) for slot in layout]
        self.register_buffer("row", torch.tensor(row))
        self.register_buffer("kinds", torch.tensor([names.index(slot.macro.name) for slot in layout]))
        crowd = [-np.log(max(1, sum(each.macro.name == slot.macro.name for each in layout) / 2)) for slot in layout]
        self.register_buffer("prior", torch.tensor(crowd, dtype=torch.float32))  # "focus 0" to "focus 31" are one wish
        nn.init.orthogonal_(self.score[-1].weight, 0.01)
        nn.init.zeros_(self.score[-1].bias)

    def forward(self, seen: dict[str, Tensor], mask: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        """How likely each action is, and what the state is worth."""
        many = len(mask)
        tables = [seen["components"].view(many, -1, len(COMPONENT)), seen["others"].view(many, -1, len(OTHER))]
        rows = [net(table) * table[:, :, :1] for net, table in zip(self.rows.values(), tables, strict=True)]
        focus = [(row * table[:, :, 1:2]).sum(1) for row, table in zip(rows, tables, strict=True)]
        most = [row.max(1).values for row in rows]
        state = self.state(torch.cat([*(seen[name] for name in self.whole), *focus, *most], 1))
        nothing = torch.zeros_like(rows[0][:, :1])
        about = torch.cat([*rows, nothing], 1)[:, self.row]
        each = state.unsqueeze(1).expand(-1, len(self.row), -1)
        kinds = self.kind(self.kinds).expand(many, -1, -1)
        changes, used = seen["changes"].view(many, -1, len(CHANGE)), seen["used"].unsqueeze(2)
        scores = self.score(torch.cat([about, each, kinds, changes, used], 2)).squeeze(2) + self.prior
        return torch.distributions.Categorical(logits=scores.masked_fill(~mask, -1e9)), self.value(state).squeeze(1)


def mlp(size: int, width: int) -> nn.Sequential:
    """Two layers."""
    return nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def look(worlds: WorldsVectorEnv, seen: dict[str, np.ndarray]) -> tuple[dict[str, Tensor], Tensor]:
    """Observations and masks of all worlds as tensors of their own."""
    masks = np.stack(worlds.call("action_masks"))
    return {name: torch.tensor(rows) for name, rows in seen.items()}, torch.tensor(masks)


def estimate_advantages(args: argparse.Namespace, rewards: Tensor, values: Tensor, ended: Tensor) -> Tensor:
    """Generalised advantages (Schulman et al. 2016), shape (horizon, worlds); `values` has one row more."""
    found, after = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        goes_on = 1 - ended[t]
        surprise = rewards[t] + args.gamma * values[t + 1] * goes_on - values[t]
        found[t] = after = surprise + args.gamma * args.trace * goes_on * after
    return found


def update(args: argparse.Namespace, network: Network, optimizer: torch.optim.Optimizer, batch: dict) -> None:
    """Some epochs over what was played last; ends early where the policy has moved far."""
    n = len(batch["action"])
    for _ in range(args.epochs):
        for chosen in torch.randperm(n).split(args.batch):
            policy, value = network({k: rows[chosen] for k, rows in batch["seen"].items()}, batch["mask"][chosen])
            change = policy.log_prob(batch["action"][chosen]) - batch["likely"][chosen]
            if ((change.exp() - 1) - change).mean() > 1.5 * args.divergence:  # Schulman's estimate of KL
                return
            gain = batch["advantage"][chosen]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = change.exp()
            surrogate = torch.min(ratio * gain, ratio.clamp(1 - args.clip, 1 + args.clip) * gain).mean()
            error = (value - batch["return"][chosen]).square().mean()
            loss = 0.5 * error - surrogate - args.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def collect(args: argparse.Namespace, network: Network, worlds: WorldsVectorEnv, state: dict) -> dict:
    """Play `horizon` steps in every world; what was seen, done and earned, the first two axes made one."""
    kept: dict[str, list] = {name: [] for name in ("seen", "mask", "action", "likely", "value", "reward", "ended")}
    for _ in range(args.horizon):
        seen, mask = look(worlds, state["seen"])
        with torch.no_grad():
            policy, value = network(seen, mask)
        action = policy.sample()
        state["seen"], reward, terminated, truncated, infos = worlds.step(action.numpy())
        over = terminated | truncated
        if over.any():
            last = infos["final_info"]
            state["solved"].extend(bool(last["is_success"][i]) for i in np.flatnonzero(over))
        now = (seen, mask, action, policy.log_prob(action), value, torch.tensor(reward).float(), torch.tensor(over))
        for name, each in zip(kept, now, strict=True):
            kept[name].append(each)
    with torch.no_grad():
        kept["value"].append(network(*look(worlds, state["seen"]))[1])
    values, rewards, ended = torch.stack(kept["value"]), torch.stack(kept["reward"]), torch.stack(kept["ended"]).float()
    advantages = estimate_advantages(args, rewards, values, ended)
    flat = {"return": advantages + values[:-1], "advantage": advantages}
    flat |= {name: torch.stack(kept[name]) for name in ("mask", "action", "likely")}
    seen = {name: torch.stack([each[name] for each in kept["seen"]]).flatten(0, 1) for name in kept["seen"][0]}
    return {"seen": seen, **{name: rows.flatten(0, 1) for name, rows in flat.items()}}


def test(args: argparse.Namespace, network: Network) -> dict[str, float]:
    """Episodes of the test split, each action drawn: how many are solved, and in how many actions."""
    env = make_world(args, "test")
    solved, actions = [], 0
    for seed in range(args.tests):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            tensors = {name: torch.tensor(rows).unsqueeze(0) for name, rows in seen.items()}
            with torch.no_grad():
                policy, _ = network(tensors, torch.tensor(env.get_wrapper_attr("action_masks")()).unsqueeze(0))
            seen, _, terminated, truncated, info = env.step(int(policy.sample()))
            over = terminated or truncated
            actions += 1
        solved.append(info["is_success"])
    env.close()
    return {"solved": round(float(np.mean(solved)), 3), "actions": round(actions / args.tests, 1)}


def main() -> None:
    """Learn, and print one line of JSON now and then."""
    args = parse_arguments()
    torch.set_num_threads(1)  # such small matrices are many times slower on several busy cores
    torch.manual_seed(args.chance)
    worlds = WorldsVectorEnv([make_world(args, "train") for _ in range(args.worlds)], AutoresetMode.SAME_STEP)
    network = Network(worlds.envs[0])
    optimizer = torch.optim.Adam(network.parameters(), lr=args.rate, eps=1e-5)
    before = test(args, network)
    seen, _ = worlds.reset(seed=TRAINING_SEED + args.chance * args.worlds)
    state = {"seen": seen, "solved": deque(maxlen=100)}
    updates = -(-args.steps // (args.worlds * args.horizon))
    for done in range(updates):
        left = 1 - done / updates
        optimizer.param_groups[0]["lr"] = args.rate * left
        worlds.call("look_first", max(0.0, 1 - done / updates / args.guided) if args.guided else 0.0)
        update(args, network, optimizer, collect(args, network, worlds, state))
        if (done + 1) % max(1, updates // 10) == 0:
            share = round(float(np.mean(state["solved"] or [0])), 3)
            print(json.dumps({"steps": (done + 1) * args.worlds * args.horizon, "training": share}), flush=True)
    after = test(args, network)
    print(json.dumps({"before": before, "after": after, "better": after["solved"] > before["solved"]}))
    worlds.close()
    if args.out:
        torch.save(network.state_dict(), args.out)


if __name__ == "__main__":
    main()
