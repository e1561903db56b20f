"""Claims and volumes."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment

Json = dict[str, object]


def _volume(name: str = "geo-pv", size: str = "1Gi", class_: str = "geo-storage") -> Json:
    spec = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": class_,
        "persistentVolumeReclaimPolicy": "Retain",
        "hostPath": {"path": "/data/geo"},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def _claim(name: str = "geo-pvc", class_: str = "geo-storage") -> Json:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": class_,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def _user() -> Json:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "geo-pvc"}}
    return deployment("web", volumes=[volume], volumeMounts=[{"name": "v", "mountPath": "/data"}])


def test_a_claim_takes_the_smallest_volume_of_its_class_that_is_big_enough() -> None:
    cluster = SmallCluster()
    for name, size, class_ in (("big", "5Gi", "geo-storage"), ("fit", "1Gi", "geo-storage"), ("other", "1Gi", "x")):
        cluster.apply(_volume(name, size, class_))
    cluster.apply(_volume("small", "500Mi"))
    cluster.apply(_claim())
    cluster.at(2)
    claim = cluster.get("persistentvolumeclaims", "geo-pvc")
    assert (claim["spec"]["volumeName"], claim["status"]["phase"]) == ("fit", "Bound")
    assert claim["status"]["capacity"] == {"storage": "1Gi"}
    volume = cluster.get("persistentvolumes", "fit")
    assert volume["status"]["phase"] == "Bound" and volume["spec"]["claimRef"]["name"] == "geo-pvc"
    assert cluster.get("persistentvolumes", "big")["status"]["phase"] == "Available"


def test_a_released_volume_serves_nobody_until_its_reference_is_taken_off() -> None:
    cluster = SmallCluster()
    cluster.apply(_volume())
    cluster.apply(_claim())
    cluster.apply(_user())
    cluster.at(10)
    assert cluster.states("web")[-1][1] == "Running app:R:0"
    cluster.delete("deployments.apps", "web")
    cluster.at(20)
    cluster.delete("persistentvolumeclaims", "geo-pvc")
    cluster.at(21)
    assert cluster.get("persistentvolumes", "geo-pv")["status"]["phase"] == "Released"
    cluster.apply(_claim())
    cluster.apply(_user())
    cluster.at(60)
    counts = cluster.events("geo-pvc")
    assert counts['ProvisioningFailed storageclass.storage.k8s.io "geo-storage" not found'] == 3
    (condition,) = cluster.pod("web")["status"]["conditions"]
    assert condition["message"].startswith(
        "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. "
    )
    volume = cluster.get("persistentvolumes", "geo-pv")
    spec = {k: v for k, v in volume["spec"].items() if k != "claimRef"}
    cluster.world.store.put("persistentvolumes", {**volume, "spec": spec})
    cluster.at(80)
    assert cluster.get("persistentvolumeclaims", "geo-pvc")["status"]["phase"] == "Bound"
    assert cluster.states("web")[-1][1] == "Running app:R:0"


def test_a_claim_without_class_says_so_every_fifteen_seconds() -> None:
    cluster = SmallCluster()
    cluster.apply(_claim(class_=""))
    cluster.at(50)
    text = "FailedBinding no persistent volumes available for this claim and no storage class is set"
    assert cluster.events("geo-pvc")[text] == 4


def test_a_local_class_makes_the_volume_where_the_first_pod_goes() -> None:
    cluster = SmallCluster()
    class_ = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "standard"},
        "provisioner": "rancher.io/local-path",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    cluster.apply(class_)
    cluster.apply(_claim(class_="standard"))
    cluster.at(10)
    assert cluster.get("persistentvolumeclaims", "geo-pvc")["status"]["phase"] == "Pending"
    assert "WaitForFirstConsumer waiting for first consumer to be created before binding" in cluster.events("geo-pvc")
    cluster.apply(_user())
    cluster.at(20)
    assert cluster.states("web")[-1][1] == "Running app:R:0"
    claim = cluster.get("persistentvolumeclaims", "geo-pvc")
    assert claim["spec"]["volumeName"] == f"pvc-{claim['metadata']['uid']}"
    cluster.delete("deployments.apps", "web")
    cluster.at(30)
    cluster.delete("persistentvolumeclaims", "geo-pvc")
    cluster.at(40)
    assert cluster.world.store.all("persistentvolumes") == []


def test_a_claim_in_use_waits_for_its_pod() -> None:
    cluster = SmallCluster()
    cluster.apply(_volume())
    cluster.apply(_claim())
    cluster.apply(_user())
    cluster.at(10)
    cluster.delete("persistentvolumeclaims", "geo-pvc")
    cluster.at(15)
    assert "deletionTimestamp" in cluster.get("persistentvolumeclaims", "geo-pvc")["metadata"]
    cluster.delete("deployments.apps", "web")
    cluster.at(25)
    assert cluster.world.store.all("persistentvolumeclaims") == []
    assert cluster.get("persistentvolumes", "geo-pv")["status"]["phase"] == "Released"
