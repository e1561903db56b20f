"""An agent that was written for AIOpsLab plays here: the import line is all that changes.

    python examples/10_aiopslab.py

Put the call to your model into `ReAct.ask`. What stands there now answers by rules, so that this runs offline.
"""

import asyncio
import re

from aiops_gym.adapters.aiopslab import DOCS, Orchestrator, stringify_apis

# was: from aiopslab.orchestrator import Orchestrator
#      from clients.utils.templates import DOCS


class ReAct:
    """Thinks, acts, observes."""

    def init_context(self, problem_desc: str, instructions: str, apis: dict[str, str]) -> None:
        """An episode begins."""
        own = {name: apis[name] for name in ("exec_shell", "submit")}
        shell, submit = (stringify_apis({name: manual}) for name, manual in own.items())
        telemetry = stringify_apis({name: manual for name, manual in apis.items() if name not in own})
        docs = DOCS.format(prob_desc=problem_desc, telemetry_apis=telemetry, shell_api=shell, submit_api=submit)
        self.history = [{"role": "system", "content": docs}, {"role": "user", "content": instructions}]
        self.namespace = re.search(r"Namespace: (\S+)", problem_desc)[1]

    async def get_action(self, state: str) -> str:
        """The next action."""
        self.history.append({"role": "user", "content": state})
        self.history.append({"role": "assistant", "content": await self.ask(self.history)})
        return self.history[-1]["content"]

    async def ask(self, messages: list[dict[str, str]]) -> str:
        """Replace by `await client.chat.completions.create(model=..., messages=messages)` or the like."""
        if len(messages) == 3:
            return f"Thought: pods first.\nAction: ```\nexec_shell('kubectl get pods -n {self.namespace}')\n```"
        pods = re.findall(
            r"^(\S+)-[0-9a-f]+-\w{5} +\S+ +(?:CrashLoopBackOff|Error) ", messages[-1]["content"], re.MULTILINE
        )
        return f"Thought: these pods do not run.\nAction: ```\nsubmit({pods!r})\n```"


async def main() -> None:
    """Three problems, one after the other."""
    orchestrator = Orchestrator()
    for problem in orchestrator.probs.get_problem_ids("mongodb-localization")[:3]:
        agent = ReAct()
        orchestrator.register_agent(agent, name="react")
        agent.init_context(*orchestrator.init_problem(problem))
        told = await orchestrator.start_problem(max_steps=10)
        accuracy, seconds = told["results"]["Localization Accuracy"], told["results"]["TTL"]
        print(f"{problem}: {accuracy:.0f} after {len(told['history'])} messages and {seconds} s")
    print(f"saved in {orchestrator.results_dir}")


asyncio.run(main())
