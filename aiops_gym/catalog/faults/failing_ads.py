"""A flag has one of ten requests for ads fail."""

from aiops_gym.catalog.flagging import make_fault

fault = make_fault("failing_ads", "adFailure", "on", look="kubectl logs -n {namespace} deploy/frontend --tail=20")
