"""What an agent may call, one typed function each, and the parser of action text."""

from aiops_gym.tools.parser import parse
from aiops_gym.tools.registry import Context, Tool, get_actions, run, toolbox

__all__ = ["Context", "Tool", "get_actions", "parse", "run", "toolbox"]
