"""A language model as the policy: any callable text -> text is an agent.

    python examples/02_llm_as_policy.py

Put the call to your model into `Chat.ask`. What stands there now answers by two rules, so that this runs offline.
"""

import gymnasium as gym

import aiops_gym


class Chat:
    """Keeps the conversation: the prompt is the system message, each observation a user message."""

    def __init__(self) -> None:
        self.messages: list[dict[str, str]] = []

    def __call__(self, observation: str) -> str:
        role = "user" if self.messages else "system"
        self.messages.append({"role": role, "content": observation})
        answer = self.ask(self.messages)
        self.messages.append({"role": "assistant", "content": answer})
        return answer

    def ask(self, messages: list[dict[str, str]]) -> str:
        """Replace by `client.chat.completions.create(model=..., messages=messages)` or the like."""
        if len(messages) == 1:
            return 'Let me look.\n```\nexec_shell("kubectl get pods -n test-hotel-reservation")\n```'
        crashing = [line.split("-")[0] for line in messages[-1]["content"].splitlines() if "CrashLoop" in line]
        return f"```\nsubmit({crashing!r})\n```"


env = gym.make("aiops_gym/Localization-v0", problem="user_unregistered_mongodb-localization-1")
for seed in range(3):
    episode = aiops_gym.run_episode(env, Chat(), seed=seed)
    print(f"seed {seed}: submitted {episode.submitted}, reward {episode.reward}, {len(episode.steps)} steps")

episode.save("episode.json")
print("saved the last one to episode.json")
