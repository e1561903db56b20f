"""A flag has every charge of a card refused."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/frontend --tail=20"

fault = make_fault("refused_charges", "paymentFailure", "100%", look=LOOK)
