"""AIOpsLab's names over these environments: what was written for its orchestrator runs with another import line.

from aiops_gym.adapters.aiopslab import Orchestrator   # was: from aiopslab.orchestrator import Orchestrator
"""

from aiops_gym.adapters.aiopslab.actions import (
    AnalysisActions,
    BankActions,
    DetectionActions,
    LocalizationActions,
    MarketActions,
    MitigationActions,
    TaskActions,
    TelecomActions,
    action,
    read,
    write,
)
from aiops_gym.adapters.aiopslab.openrca import (
    TASK_EVAL_FIELDS,
    BankRCAProblem,
    MarketRCAProblem,
    OpenRCAProblemRegistry,
    TelecomRCAProblem,
)
from aiops_gym.adapters.aiopslab.orchestrator import OpenRCAOrchestrator, Orchestrator
from aiops_gym.adapters.aiopslab.registry import ProblemRegistry
from aiops_gym.adapters.aiopslab.responses import (
    InvalidActionError,
    ResponseParser,
    ResponseParsingError,
    SubmissionStatus,
)
from aiops_gym.adapters.aiopslab.session import Session, SessionItem
from aiops_gym.adapters.aiopslab.tasks import AnalysisTask, DetectionTask, LocalizationTask, MitigationTask, Task
from aiops_gym.adapters.aiopslab.templates import (
    DOCS,
    DOCS_SHELL_ONLY,
    OPENRCA_INSTRUCTIONS,
    OPENRCA_PROMPT,
    stringify_apis,
)
from aiops_gym.tools import get_actions

__all__ = [
    "DOCS",
    "DOCS_SHELL_ONLY",
    "OPENRCA_INSTRUCTIONS",
    "OPENRCA_PROMPT",
    "TASK_EVAL_FIELDS",
    "AnalysisActions",
    "AnalysisTask",
    "BankActions",
    "BankRCAProblem",
    "DetectionActions",
    "DetectionTask",
    "InvalidActionError",
    "LocalizationActions",
    "LocalizationTask",
    "MarketActions",
    "MarketRCAProblem",
    "MitigationActions",
    "MitigationTask",
    "OpenRCAOrchestrator",
    "OpenRCAProblemRegistry",
    "Orchestrator",
    "ProblemRegistry",
    "ResponseParser",
    "ResponseParsingError",
    "Session",
    "SessionItem",
    "SubmissionStatus",
    "Task",
    "TaskActions",
    "TelecomActions",
    "TelecomRCAProblem",
    "action",
    "get_actions",
    "read",
    "stringify_apis",
    "write",
]
