"""The roles that every API server of 1.32 begins with (`bootstrappolicy` at its default feature gates), one a line.

A line is a name, a colon and rules with `|` between them. A rule is verbs, then `group: resources` or paths, then the
names of objects after `=`. Short forms are explained in `policy`. Names that end in `>X` are taken up by the role X.
"""

from __future__ import annotations

ROLES = """
cluster-admin: * *: * | * *
system:aggregate-to-admin >admin: create authorization: localsubjectaccessreviews | ALL rbac: rolebindings,roles
system:aggregate-to-edit >edit: READ core: pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  | impersonate core: serviceaccounts | WRITE core: pods,pods/attach,pods/exec,pods/portforward,pods/proxy
  | create core: pods/eviction | WRITE core: configmaps,events,persistentvolumeclaims,replicationcontrollers,
    replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
  | create core: serviceaccounts/token | WRITE apps: daemonsets,deployments,deployments/rollback,deployments/scale,
    replicasets,replicasets/scale,statefulsets,statefulsets/scale
  | WRITE autoscaling: horizontalpodautoscalers | WRITE batch: cronjobs,jobs
  | WRITE extensions: daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,
    replicasets,replicasets/scale,replicationcontrollers/scale
  | WRITE policy: poddisruptionbudgets | WRITE networking: ingresses,networkpolicies | ALL coordination: leases
system:aggregate-to-view >view: READ core: configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,
    pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
  | READ core: bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,
    resourcequotas,resourcequotas/status
  | READ core: namespaces | READ discovery: endpointslices
  | READ apps: controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,
    replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
  | READ autoscaling: horizontalpodautoscalers,horizontalpodautoscalers/status
  | READ batch: cronjobs,cronjobs/status,jobs,jobs/status
  | READ extensions: daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,
    ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
  | READ policy: poddisruptionbudgets,poddisruptionbudgets/status
  | READ networking: ingresses,ingresses/status,networkpolicies
system:auth-delegator: create authentication: tokenreviews | create authorization: subjectaccessreviews
system:basic-user: create authorization: selfsubjectaccessreviews,selfsubjectrulesreviews
  | create authentication: selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient:
  create certificates: certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient:
  create certificates: certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver:
  approve certificates: signers = kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver:
  approve certificates: signers = kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver: approve certificates: signers = kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver: approve certificates: signers = kubernetes.io/legacy-unknown
system:discovery: get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
system:heapster: READ core: events,namespaces,nodes,pods | READ extensions: deployments
system:kube-aggregator: READ core: endpoints,services
system:kube-controller-manager: EVENTS | create coordination: leases
  | get,update coordination: leases = kube-controller-manager | create core: secrets,serviceaccounts
  | delete core: secrets | get core: configmaps,namespaces,secrets,serviceaccounts
  | update core: secrets,serviceaccounts
  | create authentication: tokenreviews | create authorization: subjectaccessreviews | list,watch *: *
  | create core: serviceaccounts/token
system:kube-dns: list,watch core: endpoints,services
system:kube-scheduler: EVENTS | create coordination: leases | get,update coordination: leases = kube-scheduler
  | READ core: nodes | delete,get,list,watch core: pods | create core: bindings,pods/binding
  | CHANGE core: pods/status
  | READ core: replicationcontrollers,services | READ apps+extensions: replicasets | READ apps: statefulsets
  | READ policy: poddisruptionbudgets | READ core: persistentvolumeclaims,persistentvolumes
  | create authentication: tokenreviews | create authorization: subjectaccessreviews | READ storage: csinodes
  | READ core: namespaces | READ storage: csidrivers | READ storage: csistoragecapacities
system:kubelet-api-admin: READ core: nodes | proxy core: nodes
  | * core: nodes/log,nodes/metrics,nodes/proxy,nodes/stats
system:monitoring: get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*
system:node: create authentication: tokenreviews | create authorization: localsubjectaccessreviews,
    subjectaccessreviews
  | READ core: services | create,get,list,watch core: nodes | CHANGE core: nodes/status | CHANGE core: nodes
  | create,patch,update core: events | READ core: pods | create,delete core: pods | CHANGE core: pods/status
  | create core: pods/eviction | READ core: configmaps,secrets | get core: persistentvolumeclaims,persistentvolumes
  | get core: endpoints | create,get,list,watch certificates: certificatesigningrequests
  | create,delete,get,patch,update coordination: leases | get storage: volumeattachments
  | create core: serviceaccounts/token | get,patch,update core: persistentvolumeclaims/status
  | READ storage: csidrivers | create,delete,get,patch,update storage: csinodes | READ node: runtimeclasses
system:node-bootstrapper: create,get,list,watch certificates: certificatesigningrequests
system:node-problem-detector: get core: nodes | patch core: nodes/status | EVENTS
system:node-proxier: list,watch core: endpoints,services | READ core: nodes | EVENTS
  | list,watch discovery: endpointslices
system:persistent-volume-provisioner: create,delete,get,list,watch core: persistentvolumes
  | get,list,update,watch core: persistentvolumeclaims | READ storage: storageclasses | watch core: events | EVENTS
system:public-info-viewer: get /healthz,/livez,/readyz,/version,/version/
system:service-account-issuer-discovery: get /.well-known/openid-configuration,/openid/v1/jwks
system:volume-scheduler: get,list,patch,update,watch core: persistentvolumes | READ storage: storageclasses
  | get,list,patch,update,watch core: persistentvolumeclaims
"""

CONTROLLERS = """
attachdetach-controller: list,watch core: persistentvolumeclaims,persistentvolumes | READ core: nodes
  | CHANGE core: nodes/status | list,watch core: pods | EVENTS
  | create,delete,get,list,watch storage: volumeattachments
  | READ storage: csidrivers | READ storage: csinodes
certificate-controller: delete,get,list,watch certificates: certificatesigningrequests
  | update certificates: certificatesigningrequests/approval,certificatesigningrequests/status
  | approve certificates: signers = kubernetes.io/kube-apiserver-client-kubelet
  | sign certificates: signers = kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,
    kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
  | create authorization: subjectaccessreviews | EVENTS
clusterrole-aggregation-controller: escalate,get,list,patch,update,watch rbac: clusterroles
cronjob-controller: get,list,update,watch batch: cronjobs | MAKE batch: jobs | update batch: cronjobs/status
  | update batch: cronjobs/finalizers | delete,list,watch core: pods | EVENTS
daemon-set-controller: READ apps+extensions: daemonsets | update apps+extensions: daemonsets/status
  | update apps+extensions: daemonsets/finalizers | list,watch core: nodes | create,delete,list,patch,watch core: pods
  | create core: pods/binding | MAKE apps: controllerrevisions | EVENTS
deployment-controller: get,list,update,watch apps+extensions: deployments | update apps+extensions: deployments/status
  | update apps+extensions: deployments/finalizers | MAKE apps+extensions: replicasets
  | get,list,update,watch core: pods | EVENTS
disruption-controller: READ apps+extensions: deployments | READ apps+extensions: replicasets
  | READ core: replicationcontrollers | READ policy: poddisruptionbudgets | READ apps: statefulsets
  | update policy: poddisruptionbudgets/status | CHANGE core: pods/status | get *: */scale | EVENTS
endpoint-controller: READ core: pods,services | create,delete,get,list,update,watch core: endpoints
  | create core: endpoints/restricted | EVENTS
endpointslice-controller: READ core: nodes,pods,services | update core: services/finalizers
  | create,delete,get,list,update,watch discovery: endpointslices | EVENTS
endpointslicemirroring-controller: READ core: endpoints,services | update core: services/finalizers
  | update core: endpoints/finalizers | create,delete,get,list,update,watch discovery: endpointslices | EVENTS
ephemeral-volume-controller: READ core: pods | update core: pods/finalizers
  | create,get,list,watch core: persistentvolumeclaims | EVENTS
expand-controller: get,list,patch,update,watch core: persistentvolumes | CHANGE core: persistentvolumeclaims/status
  | READ core: persistentvolumeclaims | EVENTS
generic-garbage-collector: delete,get,list,patch,update,watch *: * | EVENTS
horizontal-pod-autoscaler:
  READ autoscaling: horizontalpodautoscalers | update autoscaling: horizontalpodautoscalers/status
  | get,update *: */scale | list,watch core: pods | list,watch metrics: pods | READ custom.metrics: *
  | READ external.metrics: * | EVENTS
job-controller: get,list,patch,update,watch batch: jobs | update batch: jobs/status | update batch: jobs/finalizers
  | create,delete,list,patch,watch core: pods | EVENTS
legacy-service-account-token-cleaner: get core: configmaps = kube-apiserver-legacy-service-account-token-tracking
  | delete,patch core: secrets
namespace-controller: delete,get,list,watch core: namespaces | update core: namespaces/finalize,namespaces/status
  | delete,deletecollection,get,list,watch *: *
node-controller: delete,get,list,patch,update,watch core: nodes | CHANGE core: nodes/status | CHANGE core: pods/status
  | delete,get,list,watch core: pods | EVENTS
persistent-volume-binder: create,delete,get,list,update,watch core: persistentvolumes
  | update core: persistentvolumes/status | get,list,update,watch core: persistentvolumeclaims
  | update core: persistentvolumeclaims/status | create,delete,get,list,watch core: pods
  | READ storage: storageclasses
  | list,watch core: nodes | EVENTS | watch core: events
pod-garbage-collector: delete,list,watch core: pods | READ core: nodes | patch core: pods/status
pv-protection-controller: get,list,update,watch core: persistentvolumes | EVENTS
pvc-protection-controller: get,list,update,watch core: persistentvolumeclaims | READ core: pods | EVENTS
replicaset-controller: get,list,update,watch apps+extensions: replicasets | update apps+extensions: replicasets/status
  | update apps+extensions: replicasets/finalizers | create,delete,list,patch,watch core: pods | EVENTS
replication-controller: get,list,update,watch core: replicationcontrollers
  | update core: replicationcontrollers/status
  | update core: replicationcontrollers/finalizers | create,delete,list,patch,watch core: pods | EVENTS
resourcequota-controller: list,watch *: * | update core: resourcequotas/status | EVENTS
root-ca-cert-publisher: create,update core: configmaps | EVENTS
route-controller: list,watch core: nodes | patch core: nodes/status | EVENTS
service-account-controller: create core: serviceaccounts | EVENTS
service-controller: READ core: services | CHANGE core: services/status | list,watch core: nodes | EVENTS
statefulset-controller: list,watch core: pods | READ apps: statefulsets | update apps: statefulsets/status
  | update apps: statefulsets/finalizers | create,delete,get,patch,update core: pods | MAKE apps: controllerrevisions
  | create,get,list,watch core: persistentvolumeclaims | EVENTS
ttl-after-finished-controller: delete,get,list,watch batch: jobs | EVENTS
ttl-controller: list,patch,update,watch core: nodes | EVENTS
validatingadmissionpolicy-status-controller: READ admissionregistration: validatingadmissionpolicies
  | get,patch,update admissionregistration: validatingadmissionpolicies/status | EVENTS
"""

NAMESPACED = """
kube-public/system:controller:bootstrap-signer: READ core: configmaps | update core: configmaps = cluster-info | EVENTS
kube-system/extension-apiserver-authentication-reader: READ core: configmaps = extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager:
  LEAD coordination: leases | LEAD coordination: leasecandidates
kube-system/system::leader-locking-kube-scheduler: LEAD coordination: leases | LEAD coordination: leasecandidates
kube-system/system:controller:bootstrap-signer: READ core: secrets
kube-system/system:controller:cloud-provider: create,get,list,watch core: configmaps
kube-system/system:controller:token-cleaner: delete,get,list,watch core: secrets | EVENTS
"""

AUTHENTICATED, ANYBODY = "Group system:authenticated", "Group system:unauthenticated"
MANAGER, SCHEDULER = "User system:kube-controller-manager", "User system:kube-scheduler"

BOUND = {
    "cluster-admin": ("Group system:masters",),
    "system:basic-user": (AUTHENTICATED,),
    "system:discovery": (AUTHENTICATED,),
    "system:kube-controller-manager": (MANAGER,),
    "system:kube-dns": ("ServiceAccount kube-system/kube-dns",),
    "system:kube-scheduler": (SCHEDULER,),
    "system:monitoring": ("Group system:monitoring",),
    "system:node": (),
    "system:node-proxier": ("User system:kube-proxy",),
    "system:public-info-viewer": (AUTHENTICATED, ANYBODY),
    "system:service-account-issuer-discovery": ("Group system:serviceaccounts",),
    "system:volume-scheduler": (SCHEDULER,),
}
"""Roles of the cluster, and to whom the binding of the same name gives them."""

BOUND_HERE = {
    "kube-public/system:controller:bootstrap-signer": ("", "ServiceAccount kube-system/bootstrap-signer"),
    "kube-system/system::extension-apiserver-authentication-reader": (
        "extension-apiserver-authentication-reader",
        MANAGER,
        SCHEDULER,
    ),
    "kube-system/system::leader-locking-kube-controller-manager": (
        "",
        MANAGER,
        "ServiceAccount kube-system/kube-controller-manager",
    ),
    "kube-system/system::leader-locking-kube-scheduler": (
        "",
        SCHEDULER,
        "ServiceAccount kube-system/kube-scheduler",
    ),
    "kube-system/system:controller:bootstrap-signer": ("", "ServiceAccount kube-system/bootstrap-signer"),
    "kube-system/system:controller:cloud-provider": ("", "ServiceAccount kube-system/cloud-provider"),
    "kube-system/system:controller:token-cleaner": ("", "ServiceAccount kube-system/token-cleaner"),
}
"""Bindings of a namespace: the role ("": of the same name), and to whom it is given."""

BY_CLOUDS = ("route-controller", "service-controller")
"""Controllers that run with a cloud's controller manager only: nobody made their accounts."""

MORE_ACCOUNTS = ("bootstrap-signer", "token-cleaner")
"""Controllers that kubeadm turns on and whose rights are in roles of namespaces."""
