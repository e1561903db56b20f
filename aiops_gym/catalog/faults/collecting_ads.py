"""A flag has the service for ads collect garbage with each request: all others wait."""

from aiops_gym.catalog.flagging import make_fault

fault = make_fault("collecting_ads", "adManualGc", "on")
