"""What an agent may call, one typed function each, and the parser of action text."""

from aiops_gym.tools.parser import parse, split_action, write_call
from aiops_gym.tools.registry import Context, Tool, get_actions, run, toolbox
from aiops_gym.tools.schemas import get_schemas

__all__ = ["Context", "Tool", "get_actions", "get_schemas", "parse", "run", "split_action", "toolbox", "write_call"]
