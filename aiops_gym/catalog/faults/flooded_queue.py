"""A flag has each order sent a hundred times more, to a consumer that is slow."""

from aiops_gym.catalog.flagging import make_fault

LOOK = (
    "kubectl exec -n {namespace} deploy/{target} -- kafka-consumer-groups.s"
    "h --bootstrap-server localhost:9092 --describe --all-groups"
)

fault = make_fault("flooded_queue", "kafkaQueueProblems", "on", look=LOOK)
