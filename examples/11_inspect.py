"""Inspect AI examines a model on an incident: eight identical starts, one score, and a page to look at.

    pip install "aiops_gym[inspect]"
    python examples/11_inspect.py

The model is Inspect's own mock, which finds the culprit six times out of eight. With a real one it is
`eval(incidents(...), model="openai/gpt-5")`, or `inspect eval` on the command line.
"""

import tempfile
from itertools import count
from pathlib import Path

from inspect_ai import eval
from inspect_ai.log import bundle_log_dir
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from aiops_gym.adapters.inspect import incidents

PROBLEM = "misconfig_app_hotel_res-localization-1"
LOOK = "kubectl get pods -n test-hotel-reservation --no-headers | grep -v Running"
drawn = count()


def speak(messages, tools, tool_choice, config):
    """Look first, then name what was seen; every fourth time something else."""
    if messages[-1].role == "user":
        output = ModelOutput.for_tool_call("mockllm/model", "exec_shell", {"command": LOOK})
    else:
        culprit = "rate" if next(drawn) % 4 == 3 else messages[-1].text.split("-")[0]
        output = ModelOutput.for_tool_call("mockllm/model", "submit", {"faulty_components": [culprit]})
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a vocabulary is downloaded
    return output


with tempfile.TemporaryDirectory() as folder:
    model = get_model("mockllm/model", custom_outputs=speak)
    (log,) = eval(incidents(PROBLEM), model=model, epochs=8, log_dir=f"{folder}/logs", display="none")
    print("what it saw:", log.samples[0].messages[2].text.strip())
    reward = log.results.scores[0]
    print(f"{reward.name} {reward.metrics['mean'].value} over {len(log.samples)} samples")
    bundle_log_dir(f"{folder}/logs", f"{folder}/page")
    print("can be opened:", (Path(folder) / "page" / "index.html").exists())
