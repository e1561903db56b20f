"""Root cause analysis over recorded telemetry: a question, a look at what deviates, and an answer.

Without data of your own this plays on a small synthetic data set, made once in your cache.
"""

import csv

import gymnasium as gym

import aiops_gym  # registers the environments
from aiops_gym.openrca import BankDataset
from aiops_gym.types import Call

env = gym.make("aiops_gym/OpenRCABank-v0", split="train", tools="all")  # "basic" has no summaries
prompt, info = env.reset(seed=1)
question = prompt.split("## ISSUE:")[1].split("##")[0].strip()
print(f"{info['problem']}, {info['data']} telemetry", question, sep="\n")

# What the tools print is CSV below lines of notes.
window = env.unwrapped.window
text, *_ = env.step(str(Call("largest_deviations", window)))
rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
for row in rows[:3]:
    print(f"{row['component']:10}{row['kpi']:45}{row['before']:>10} -> {row['during']}")

answer = Call("submit", kwargs={"component": rows[0]["component"], "timestamp": rows[0]["first"]})
_, reward, terminated, _, info = env.step(str(answer))
print(f"reward {reward:.2f}, expected {info['results']['expected']}")

# The same telemetry as tables.
frame = BankDataset().get_metric_app(*window)
print(f"{len(frame)} rows of {', '.join(frame.columns)}; slowest: {frame['mrt'].max():.0f} ms")
print("version", aiops_gym.__version__)
