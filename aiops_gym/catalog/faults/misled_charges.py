"""A flag has charges asked for at an address that does not exist."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/frontend --tail=20"

fault = make_fault("misled_charges", "paymentUnreachable", "on", look=LOOK)
