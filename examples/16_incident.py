"""An incident from the page to the report: acknowledge, look, diagnose, repair, resolve, report.

python examples/16_incident.py
"""

import gymnasium as gym

import aiops_gym  # noqa: F401  # Registers the environments.

env = gym.make("aiops_gym/Incident-v0", problem="misconfig_app_hotel_res-incident-1")

# The first observation ends with what may be called; before that stands the page, as somebody is woken by it.
observation, info = env.reset(seed=7)
page = observation[observation.index("The page, sent at") :]
print(page[: page.index("You can call these APIs")])

SHOP = "test-hotel-reservation"
actions = [
    "acknowledge()",
    f'exec_shell("kubectl get pods -n {SHOP} | grep -v Running")',
    f'exec_shell("kubectl logs -n {SHOP} deploy/geo --tail=3; kubectl rollout history deploy/geo -n {SHOP}")',
    """diagnose(
        ["geo"],
        [{"system_level": "Application", "fault_type": "Misconfiguration"}],
        [["geo", "search", "frontend"]],
    )""",
    f'exec_shell("kubectl rollout undo deployment/geo -n {SHOP}")',
    "resolve()",
    'report("geo ran an image with a defect, so that every search failed; it was rolled back.")',
]

for action in actions:
    observation, reward, terminated, truncated, info = env.step(f"```\n{action}\n```")
    print(f"\n{action}\n{observation[-600:]}")

stages = ("detection", "path", "repair", "harm", "time")
print(f"\nreward {reward:.2f}, solved: {info['is_success']}")
print({stage: round(info["reward_components"][stage], 2) for stage in stages})
