"""A first episode: make an environment, look around, answer.

python examples/01_first_episode.py
"""

import gymnasium as gym

import aiops_gym  # noqa: F401  # Registers the environments.

env = gym.make("aiops_gym/Detection-v0", problem="revoke_auth_mongodb-detection-1")

# The first observation is the whole prompt: the application, the task, what may be called, how to answer.
observation, info = env.reset(seed=7)
print(observation)

# An action is text with one API call in a fenced block. Text around the block is a thought, and left out.
actions = [
    """The pods first.
```
exec_shell("kubectl get pods -n test-hotel-reservation | grep -v Running")
```""",
    """Why does geo not run?
```
get_logs("test-hotel-reservation", "geo")
```""",
    """It may not read its database any more.
```
submit("Yes")
```""",
]

for action in actions:
    observation, reward, terminated, truncated, info = env.step(action)
    print(f"\n{action}\n\n{observation[-1500:]}")

print(f"\nreward {reward}, solved: {info['is_success']}")
print({name: info["results"][name] for name in ("TTD", "steps", "Detection Accuracy", "expected", "submitted")})
