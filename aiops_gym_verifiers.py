"""The name by which verifiers finds `aiops_gym.adapters.verifiers`: it takes modules at the top level only."""

from aiops_gym.adapters.verifiers import ChatHarness, IncidentEnv, IncidentTaskset

__all__ = ["ChatHarness", "IncidentEnv", "IncidentTaskset"]
