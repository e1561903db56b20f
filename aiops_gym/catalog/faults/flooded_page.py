"""A flag has users ask for the first page a hundred times."""

from aiops_gym.catalog.flagging import make_fault

LOOK = "kubectl logs -n {namespace} deploy/load-generator --tail=20"

fault = make_fault("flooded_page", "loadGeneratorFloodHomepage", "on", look=LOOK)
