"""The incidents of Social Network that AIOpsLab poses, with its spelling of their names."""

from functools import partial

from aiops_gym.catalog.model import Incident

social = partial(Incident, app="social_network")

incidents = (
    social(name="k8s_target_port-misconfig-{task}-1", fault="misconfig_k8s", target="user-service"),
    social(name="k8s_target_port-misconfig-{task}-2", fault="misconfig_k8s", target="text-service"),
    social(name="k8s_target_port-misconfig-{task}-3", fault="misconfig_k8s", target="post-storage-service"),
    social(name="auth_miss_mongodb-{task}-1", fault="auth_miss_mongodb", target="url-shorten-mongodb"),
    social(name="scale_pod_zero_social_net-{task}-1", fault="scale_pods_to_zero", target="user-service"),
    social(
        name="assign_to_non_existent_node_social_net-{task}-1",
        fault="assign_to_non_existent_node",
        target="user-service",
    ),
    social(name="noop_{task}_social_network-1", fault="", target="", tasks=("detection",)),
)
