"""The incidents of Hotel Reservation that AIOpsLab poses, with its spelling of their names."""

from functools import partial

from aiops_gym.catalog.model import Incident

hotel = partial(Incident, app="hotel_reservation")
SYMPTOMATIC = ("detection", "localization")
WITHOUT_PLACE = ("detection", "analysis", "mitigation")

incidents = (
    hotel(name="revoke_auth_mongodb-{task}-1", fault="revoke_auth", target="mongodb-geo"),
    hotel(name="revoke_auth_mongodb-{task}-2", fault="revoke_auth", target="mongodb-rate"),
    hotel(name="user_unregistered_mongodb-{task}-1", fault="storage_user_unregistered", target="mongodb-geo"),
    hotel(name="user_unregistered_mongodb-{task}-2", fault="storage_user_unregistered", target="mongodb-rate"),
    hotel(name="misconfig_app_hotel_res-{task}-1", fault="misconfig_app", target="geo"),
    hotel(name="container_kill-{task}", fault="container_kill", target="geo", tasks=SYMPTOMATIC, rate=100.0),
    hotel(name="pod_failure_hotel_res-{task}-1", fault="pod_failure", target="user", tasks=SYMPTOMATIC),
    hotel(name="pod_kill_hotel_res-{task}-1", fault="pod_kill", target="user", tasks=SYMPTOMATIC),
    hotel(name="network_loss_hotel_res-{task}-1", fault="network_loss", target="user", tasks=SYMPTOMATIC),
    hotel(name="network_delay_hotel_res-{task}-1", fault="network_delay", target="user", tasks=SYMPTOMATIC),
    hotel(name="redeploy_without_PV-{task}-1", fault="redeploy_without_pv", target="", tasks=WITHOUT_PLACE),
    hotel(name="wrong_bin_usage-{task}-1", fault="wrong_bin_usage", target="profile"),
    hotel(
        name="redeploy_without_PV-{task}-1",
        fault="redeploy_without_pv",
        target="",
        tasks=("localization",),
        registered=False,
    ),
    hotel(
        name="kernel_fault_hotel_reservation-{task}-1",
        fault="kernel_fault",
        target="user",
        tasks=SYMPTOMATIC,
        registered=False,
    ),
    hotel(name="disk_woreout-{task}-1", fault="disk_woreout", target="", tasks=SYMPTOMATIC, registered=False),
    hotel(name="noop_{task}_hotel_reservation-1", fault="", target="", tasks=("detection",)),
)
