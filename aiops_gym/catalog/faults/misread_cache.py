"""A flag has recommendations come from a cache that asks wrongly when it misses."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/{target} --tail=20"

fault = make_fault("misread_cache", "recommendationCacheFailure", "on", look=LOOK)
