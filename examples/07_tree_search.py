"""Search by forks: the same policy, with and without trying its ideas in branches before acting.

The search sees what the policy sees and the reward of a submission made in a branch, as it would with any simulator of
the system; neither the solution nor the infos.
"""

import gymnasium as gym
import numpy as np

import aiops_gym  # noqa: F401  # Registers the environments.

PROBLEMS = (
    "misconfig_app_hotel_res-mitigation-1",
    "stuck_rollout_hotel_reservation-mitigation-frontend",
    "stuck_rollout_social_network-mitigation-compose-post-service",
)
REMEDIES = ("rollout restart deployment/{}", "rollout undo deployment/{}", "scale deployment/{} --replicas=1")
LOOK = '```\nexec_shell("kubectl get deployments -A --no-headers | grep test-")\n```'
SUBMIT = "```\nsubmit()\n```"
WIDTH, ROLLOUTS, DEPTH = 6, 3, 2


def idea(text, chance):
    """The policy: some remedy for a deployment that is not ready, or for any where all are."""
    rows = [line.split() for line in text.splitlines()]
    sick = [row for row in rows if row[2].startswith("0/") or row[3] != row[4]] or rows
    namespace, name = sick[chance.integers(len(sick))][:2]
    remedy = REMEDIES[chance.integers(len(REMEDIES))].format(name)
    return f"```\nexec_shell('kubectl -n {namespace} {remedy}; sleep 60', timeout=120)\n```"


def play(env, chance, steps):
    """Follow the policy for some steps, then submit; the reward."""
    for _ in range(steps):
        env.step(idea(env.step(LOOK)[0], chance))
    return env.step(SUBMIT)[1]


def search(env, chance, steps):
    """Before each step, try ideas in branches: submit at once, or after rollouts of the policy. Take the best."""
    for left in reversed(range(steps)):
        text = env.step(LOOK)[0]
        ideas = dict.fromkeys(idea(text, chance) for _ in range(WIDTH))
        for action in ideas:
            (branch,) = env.fork()
            branch.step(action)
            ideas[action] = max(play(twin, chance, at and left) for at, twin in enumerate(branch.fork(ROLLOUTS)))
        env.step(max(ideas, key=ideas.get))
    return env.step(SUBMIT)[1]


env = gym.make("aiops_gym/Mitigation-v0", split="train").unwrapped
rewards = {play: [], search: []}
for problem in PROBLEMS:
    for seed in range(4):
        env.reset(seed=seed, options={"problem": problem})
        for player, found in rewards.items():
            found.append(player(env.fork()[0], np.random.default_rng(seed), DEPTH))
alone, searched = (np.mean(found) for found in rewards.values())
print(f"mean reward {alone:.2f} without search, {searched:.2f} with it, better: {searched > alone}")
