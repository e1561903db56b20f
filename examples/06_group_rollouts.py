"""Groups of rollouts from one start, as GRPO wants them: what did better than its siblings becomes likelier.

    python examples/06_group_rollouts.py

The policy is a table: which sign in the list of pods to believe. A language model would be trained in the same way,
with the log-probabilities of its tokens in place of the table.
"""

import gymnasium as gym
import numpy as np

import aiops_gym  # noqa: F401  # Registers the environments.

GROUP, GROUPS, RATE = 8, 30, 1.0
PROBLEMS = ["pod_failure_hotel_res", "revoke_auth_mongodb", "user_unregistered_mongodb", "pod_kill_hotel_res"]
LOOK = '```\nexec_shell("kubectl get pods -A --no-headers | grep test-")\n```'

SIGNS = {
    "first in the list": lambda pod, at: -at,
    "last in the list": lambda pod, at: at,
    "most restarts": lambda pod, at: int(pod[4]),
    "not ready": lambda pod, at: pod[2].startswith("0/"),
    "longest name": lambda pod, at: len(pod[1]),
}


def suspect(text, sign):
    """The component of the pod for which a sign is strongest: its name without the two random parts."""
    pods = [line.split() for line in text.splitlines() if len(line.split()) >= 6]
    pod = max(enumerate(pods), key=lambda each: SIGNS[sign](each[1], each[0]))[1]
    return pod[1].rsplit("-", 2)[0]


def group(env, seed, signs):
    """Rewards of branches of one start, each of which believes another sign; the start is the same to the byte."""
    env.reset(seed=seed)
    text = env.step(LOOK)[0]
    answers = [suspect(text, sign) for sign in signs]
    branches = zip(env.fork(len(signs)), answers, strict=True)
    return np.array([branch.step(f"```\nsubmit([{answer!r}])\n```")[1] for branch, answer in branches])


env = gym.make("aiops_gym/Localization-v0", problem=[f"{each}-localization-1" for each in PROBLEMS]).unwrapped
names = list(SIGNS)
chance = np.random.default_rng(0)
logits = np.zeros(len(names))
for seed in range(GROUPS):
    probabilities = np.exp(logits) / np.exp(logits).sum()
    chosen = chance.choice(len(names), GROUP, p=probabilities)
    rewards = group(env, seed, [names[each] for each in chosen])
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    logits += RATE / GROUP * advantages @ (np.eye(len(names))[chosen] - probabilities)

# On other seeds, every sign once: the mean is what the untrained policy gets.
tried = np.mean([group(env, 1_000 + seed, names) for seed in range(8)], axis=0)
for name, share, reward in zip(names, probabilities, tried, strict=True):
    print(f"{name:20} believed {share:4.0%}, right {reward:4.0%}")
before, after = tried.mean(), probabilities @ tried
print(f"mean reward {before:.2f} before, {after:.2f} after {GROUPS} groups of {GROUP}, better: {after > before}")
