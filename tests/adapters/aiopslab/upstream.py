"""Programs that were written for AIOpsLab, with nothing but their import lines changed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
IMPORT = re.compile(r"^from (?:aiopslab|clients)[\w.]* import", re.MULTILINE)
OURS = "from aiops_gym.adapters.aiopslab import"


def load(name: str, folder: Path) -> ModuleType:
    """One of the programs beside this file, as a module."""
    text, changed = IMPORT.subn(OURS, (HERE / f"{name}.txt").read_text(encoding="utf-8"))
    assert changed
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
