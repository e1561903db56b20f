"""Try several repairs from one moment: fork for branches in this process, snapshot for bytes that go anywhere.

python examples/04_branching.py
"""

import gymnasium as gym

import aiops_gym  # noqa: F401  # Registers the environments.

NAMESPACE = "test-hotel-reservation"


def shell(command):
    """A command as an action."""
    return f"```\nexec_shell({command!r}, timeout=300)\n```"


env = gym.make("aiops_gym/Mitigation-v0", problem="misconfig_app_hotel_res-mitigation-1")
env.reset(seed=3)
env.step(shell(f"kubectl get pods -n {NAMESPACE}"))

repairs = {
    "roll geo back": f"kubectl rollout undo deployment/geo -n {NAMESPACE}",
    "restart geo": f"kubectl rollout restart deployment/geo -n {NAMESPACE}",
    "delete its pod": f"kubectl delete pod -n {NAMESPACE} -l io.kompose.service=geo",
    "take geo away": f"kubectl scale deployment/geo -n {NAMESPACE} --replicas=0",
}

# Branches share what none of them changes, so that there can be thousands.
branches = env.unwrapped.fork(len(repairs))
for branch, (name, command) in zip(branches, repairs.items(), strict=True):
    branch.step(shell(command))
    reward = branch.step("```\nsubmit()\n```")[1]
    print(f"{name:15} reward {reward}")

# The original has not moved. As bytes it can be stored, or sent to another process.
saved = env.unwrapped.snapshot()
elsewhere = gym.make("aiops_gym/Mitigation-v0").unwrapped
elsewhere.restore(saved)
same = elsewhere.step(shell("date; echo $RANDOM")) == env.step(shell("date; echo $RANDOM"))
print(f"a snapshot of {len(saved) / 1000:.0f} kB continues exactly: {same}")
