"""What is wrong with YAML of charts and releases, in the words of Helm's library."""

from __future__ import annotations

import yaml

from aiops_gym.clients import goyaml


def explain_error(error: yaml.YAMLError) -> str:
    """`error converting YAML to JSON: yaml: line 3: did not find expected key`."""
    return f"error converting YAML to JSON: {goyaml.explain_error(error)}"
