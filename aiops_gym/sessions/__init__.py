"""One episode as two objects, the agent's side and the trainer's; every door to another framework stands on it."""

from aiops_gym.sessions.results import Reply, Score
from aiops_gym.sessions.session import AgentSession, Session, Sessions

__all__ = ["AgentSession", "Reply", "Score", "Session", "Sessions"]
