"""A flag has browsers ask for images so that the proxy waits for long."""

from aiops_gym.catalog.flagging import make_fault

fault = make_fault("late_images", "imageSlowLoad", "10sec", look="kubectl get pods -n {namespace} -o wide")
