"""The same seed is the same episode, to the byte; and any episode can be asked for again.

python examples/03_same_seed_same_episode.py
"""

import gymnasium as gym

import aiops_gym  # noqa: F401  # Registers the environments.

LOOK = '```\nexec_shell("kubectl get pods -A -o wide; kubectl get events -A | tail -5")\n```'


def play(seed):
    """Everything that an agent could see of the first two steps."""
    env = gym.make("aiops_gym/Detection-v0")
    return [env.reset(seed=seed), env.step(LOOK), env.step(LOOK)]


first, again, other = play(7), play(7), play(8)
print("same seed, same bytes:", first == again)
print("another seed, another cluster:", first != other)

# Episodes of one environment differ. The info names each one's seed, and that is all it takes to repeat it.
env = gym.make("aiops_gym/Detection-v0")
env.reset(seed=0)
_, info = env.reset()
wanted = info["episode_seed"]
seen = env.step(LOOK)[0]

elsewhere = gym.make("aiops_gym/Detection-v0")
_, info = elsewhere.reset(options={"episode_seed": wanted})
print(f"episode {wanted} is about {info['problem']} again:", elsewhere.step(LOOK)[0] == seen)
