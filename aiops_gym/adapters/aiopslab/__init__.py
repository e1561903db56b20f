"""AIOpsLab's names over these environments: an agent that was written for its orchestrator runs as it is.

from aiops_gym.adapters.aiopslab import Orchestrator   # was: from aiopslab.orchestrator import Orchestrator

orchestrator = Orchestrator()
orchestrator.register_agent(agent, name="mine")
task_desc, instructions, actions = orchestrator.init_problem("revoke_auth_mongodb-detection-1")
agent.init_context(task_desc, instructions, actions)
asyncio.run(orchestrator.start_problem(max_steps=30))
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
