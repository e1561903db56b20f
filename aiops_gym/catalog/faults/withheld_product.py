"""A flag has one product of the catalogue fail whenever it is asked for."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/frontend --tail=20"

fault = make_fault("withheld_product", "productCatalogFailure", "on", look=LOOK)
