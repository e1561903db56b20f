"""RCA-agent's loop: a controller says what to look at, an executor runs Python over the telemetry and says what it saw.

    python examples/18_rca_agent.py

The executor is a process of your own beside the environment, which never runs code; here it has a time limit, no more.
Put the calls to your model into `plan` and `write`; what stands there looks once and answers, so this runs offline.
"""

import re
import subprocess
import sys

import gymnasium as gym

import aiops_gym  # registers the environments
from aiops_gym.types import Call

BEFORE = "from aiops_gym.openrca import BankDataset\ndata = BankDataset()\nimport pandas as pd\n"
STEPS, SECONDS = 25, 600


def plan(prompt: str, seen: list[str]) -> str:
    """The controller: the next instruction, or `ANSWER: component, reason` when it has seen enough."""
    if not seen:
        return "Which component's measurement of processor time rose most in the window, beside the hour before?"
    return f"ANSWER: {seen[-1].split()[0]}, high CPU usage"


def write(instruction: str, window: tuple[str, str]) -> str:
    """The executor's model: Python for an instruction."""
    return f"""
start, end = (pd.Timestamp(each, tz='Asia/Shanghai') for each in {window!r})
rows = data.get_metric_container(start - pd.Timedelta(hours=1), end, kpi='OSLinux-CPU_CPU_CPUCpuUtil')
late = rows['timestamp'] >= start.timestamp()
rise = rows[late].groupby('cmdb_id')['value'].max() - rows[~late].groupby('cmdb_id')['value'].median()
print(rise.idxmax(), round(rise.max(), 1))
"""


def execute(code: str) -> str:
    """Run it in a process of its own, and give back what it printed or the end of what it raised."""
    command = [sys.executable, "-c", BEFORE + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return (done.stdout if done.returncode == 0 else done.stderr[-2_000:]).strip()


env = gym.make("aiops_gym/OpenRCABank-v0", split="test", prompt="schema")
prompt, info = env.reset(seed=2)
seen: list[str] = []
for _ in range(STEPS):
    said = plan(prompt, seen)
    if found := re.match(r"ANSWER: (.+), (.+)", said):
        break
    seen.append(execute(write(said, env.unwrapped.window)))
    print(f"{said}\n-> {seen[-1]}")
_, reward, terminated, _, info = env.step(str(Call("submit", found.groups())))
print(f"{info['problem']}: answered {found[1]}, reward {reward:.2f} after {len(seen)} step, over: {terminated}")
print("version", aiops_gym.__version__)
