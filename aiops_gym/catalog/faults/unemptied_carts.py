"""A flag has carts emptied in a store that does not exist."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/{target} --tail=40"

fault = make_fault("unemptied_carts", "cartFailure", "on", look=LOOK)
