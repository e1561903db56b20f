"""A flag has the service for ads keep four processors busy with nothing."""

from aiops_gym.catalog.flagging import make_fault

fault = make_fault("busy_ads", "adHighCpu", "on", look="kubectl top pods -n {namespace}")
