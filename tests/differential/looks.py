"""Command lines that only look, after `kubectl`; `{pod:x}` is the first pod whose name begins with `x`."""

from __future__ import annotations

KINDS = (
    "pods deployments replicasets statefulsets daemonsets jobs cronjobs services endpoints endpointslices ingresses "
    "networkpolicies configmaps secrets serviceaccounts persistentvolumeclaims horizontalpodautoscalers "
    "poddisruptionbudgets resourcequotas limitranges roles rolebindings events leases controllerrevisions"
).split()
GLOBAL_KINDS = (
    "nodes namespaces persistentvolumes storageclasses priorityclasses ingressclasses clusterroles clusterrolebindings"
).split()

EVERYWHERE = """
get pods
get pods -o wide
get pods -A
get pods --show-labels
get pods -o name
get pods -o json
get pods -o yaml
get pods -l app=web
get pods -l 'app in (web,api)' -o wide
get pods --no-headers
get pods --sort-by=.metadata.name
get pods --sort-by=.status.startTime
get pods --sort-by='{.status.containerStatuses[0].restartCount}'
get pods --field-selector=status.phase=Running
get pods --field-selector status.phase!=Running
get pods -o jsonpath='{.items[*].metadata.name}'
get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}'
get pods -o jsonpath='{range .items[*]}{.metadata.name}{" "}{.status.containerStatuses[*].restartCount}{"\\n"}{end}'
get pods -o custom-columns=NAME:.metadata.name,STATUS:.status.phase,NODE:.spec.nodeName
get pods -o custom-columns=N:.metadata.name,R:.status.containerStatuses[*].restartCount,I:.spec.containers[*].image
get pods -L app,pod-template-hash
get pods -o go-template='{{range .items}}{{.metadata.name}}{{"\\n"}}{{end}}'
get deploy
get deploy -o wide
get deploy -o yaml
get deploy -o json
get deploy,svc
get rs,sts,ds,job,cronjob
get rs -o wide
get all
get all -o name
get all -A
get svc
get svc -o wide
get svc -o yaml
get endpoints
get ep,endpointslices
get events
get events --sort-by=.lastTimestamp
get events --sort-by='.metadata.creationTimestamp'
get events -o wide
get events --field-selector type=Warning
get events --field-selector involvedObject.kind=Deployment
get events -A --no-headers
get events -o custom-columns=R:.reason,M:.message
events
events --types=Warning
events -A
get nodes
get nodes -o wide
get nodes --show-labels
get ns
get pvc,pv
get job -o wide
get cronjob -o wide
get hpa
top pods
top pods --containers
top pods -A
top nodes
top pods --sort-by=cpu
top pods --sort-by=memory --no-headers
describe pods
describe deploy
describe rs
describe svc
describe nodes
describe jobs
describe ds,sts
get pdb
get quota
describe quota
logs -l app=web
logs -l app=web --tail=2 --prefix
""".strip().splitlines()
"""In each state, in the shop's namespace."""

HEALTHY = """
version
version --client
version -o json
version -o yaml --client
cluster-info
api-resources
api-resources --namespaced=true
api-resources --namespaced=false -o name
api-resources -o wide
api-resources --api-group=apps
api-resources --api-group=apps --no-headers
api-resources --verbs=list,create -o name
api-resources --sort-by=kind
api-resources --sort-by=name
api-resources --categories=all
api-versions
config view
config current-context
config get-contexts
config get-contexts -o name
config get-clusters
config get-users
config view --minify
config view -o json
config view -o jsonpath='{.contexts[*].name}'
config use-context nope
config use-context kind-kind
config set-context --current --namespace=shop
config set-context other --cluster=kind-kind --user=kind-kind
config rename-context kind-kind renamed
config delete-context nope
config nonsense
auth can-i delete pods
auth can-i get pods --subresource=log
auth can-i '*' '*'
auth can-i create deployments.apps -n shop
auth can-i list nodes
auth can-i get nonsense
auth can-i delete pods -A
auth can-i get /healthz
auth can-i delete
auth can-i --list
auth can-i get pods -q
auth can-i get pods --as=system:serviceaccount:shop:reader -n shop
auth can-i delete pods --as=system:serviceaccount:shop:reader -n shop
auth whoami
auth whoami -o json
auth whoami -o yaml
auth nonsense
explain pods
explain pod.spec
explain pod.spec.containers
explain pod.spec.containers.resources
explain pod.spec.restartPolicy
explain deployment.spec.template
explain deployment.spec.strategy
explain deployment.spec.replicas
explain svc.spec.ports
explain services --recursive
explain pod.spec.nonsense
explain nonsense
explain cronjob.spec
explain pvc.spec.resources
explain node.status.conditions
explain configmap
explain secret.data
explain hpa --api-version=autoscaling/v2
explain ingress.spec.rules.http
explain
explain pods svc
get --raw /healthz
get --raw /version
get --raw /readyz
get --raw /nonsense
get --raw /api/v1/namespaces/shop/pods/nope
get --raw /api/v1/namespaces/shop/services/web
get --raw /apis/apps/v1/namespaces/shop/deployments/web/scale
get --raw nonsense
get --raw /api pods
get pod duo -n shop
get pod duo -n shop -o wide
get pod duo -n shop -o yaml
get pod duo -n shop -o json
get pod/duo pod/once -n shop
get pod duo once -n shop -o name
get pod duo deploy/web -n shop
get pod/duo deploy/web svc/web -n shop
get pod duo nope -n shop
get pods/nope deploy/web -n shop
get pod duo -n shop -o jsonpath='{.status.podIP}'
get pod duo -n shop -o jsonpath={.spec.containers[*].name}
get pod duo -n shop -o jsonpath='{.metadata.labels}'
get pod duo -n shop -o jsonpath='{.metadata.annotations.kubectl\\.kubernetes\\.io/default-container}'
get pod duo -n shop -o jsonpath='{.status.containerStatuses[?(@.name=="first")].image}'
get pod duo -n shop -o jsonpath='{.spec.containers[0]}'
get pod duo -n shop -o jsonpath='{.spec.containers[5].name}'
get pod duo -n shop -o jsonpath='{.spec.containers[-1].name}'
get pod duo -n shop -o jsonpath='{.spec.containers[0:2].name}'
get pod duo -n shop -o jsonpath='{..image}'
get pod duo -n shop -o jsonpath='{.nope}'
get pod duo -n shop -o jsonpath='{.nope.deeper}'
get pod duo -n shop -o jsonpath='{.spec.containers[*'
get pod duo -n shop -o jsonpath='{range .spec.containers[*]}{.name}'
get pod duo -n shop -o jsonpath='{.metadata.name'
get pod duo -n shop -o jsonpath='plain text'
get pod duo -n shop -o jsonpath=.metadata.name
get pod duo -n shop -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'
get pod duo -n shop -o jsonpath="{.spec.containers[?(@.name!='first')].name}"
get pod duo -n shop -o jsonpath-as-json='{.spec.containers[*].name}'
get pod duo -n shop -o jsonpath
get pod duo -n shop -o jsonpath=
get pod duo -n shop -o go-template='{{.metadata.name}}'
get pod duo -n shop -o go-template='{{.nope}}'
get pod duo -n shop -o go-template='{{len .spec.containers}} {{index .spec.containers 0 "name"}}'
get pod duo -n shop -o go-template='{{.metadata.labels}}'
get pod duo -n shop -o go-template='{{range $i, $c := .spec.containers}}{{$i}}={{$c.name}} {{end}}'
get pod duo -n shop -o go-template='{{if eq .status.phase "Running"}}up{{else}}down{{end}}'
get pod duo -n shop -o go-template='{{printf "%s-%d" .metadata.name 3}}'
get pod duo -n shop -o go-template='{{.metadata.name'
get pod duo -n shop -o go-template='{{nope .}}'
get pod duo -n shop -o template --template='{{.kind}}'
get pod duo -n shop -o custom-columns=A:.metadata.name,B:.nope
get pod duo -n shop -o custom-columns=A
get pod duo -n shop -o custom-columns=
get pod duo -n shop -o custom-columns=A:.metadata.name --no-headers
get pod duo -n shop -o custom-columns='A:{.metadata.name},B:{.spec.containers[*].name}'
get pod duo -n shop -o nonsense
get pod duo -n shop -o=yaml --show-managed-fields
get pod duo -n shop -oname
get pod duo -nshop
get pod -n=shop duo
get pods duo -n shop --show-labels --no-headers
get pods duo -n shop --show-kind
get pods -n shop --show-kind -o wide
get pods -n shop --label-columns=app -L run
get pods -n empty
get pods -n empty -o wide
get pods -n empty -o json
get pods -n empty -o yaml
get pods -n empty -o name
get pods -n empty -o jsonpath='{.items[0].metadata.name}'
get pods -n empty -o jsonpath='{.items[*].metadata.name}'
get pods -n empty --no-headers
get pods -n empty -o custom-columns=A:.metadata.name
get pods -n nope
get pod x -n nope
get pods,svc -n empty
get all -n empty
get events -n empty
get pods
get configmaps
get pods -l app=nothing -n shop
get pods -l app=nothing -n shop -o json
get pods -l 'app=' -n shop
get pods -l 'app=web,tier' -n shop
get pods -l '!app' -n shop
get pods -l 'app!=web' -n shop
get pods -l 'app notin (web)' -n shop
get pods -l app==web -n shop
get pods -l 'app in' -n shop
get pods -l '=x' -n shop
get pods -l 'a=b=c' -n shop
get pods -l app=web duo -n shop
get pods --selector=app=web --field-selector=status.phase=Failed -n shop
get pods --field-selector=nope=1 -n shop
get pods --field-selector=metadata.name=duo -n shop
get pods --field-selector=spec.nodeName=kind-worker -n shop
get pods --field-selector=bad -n shop
get svc --field-selector=spec.type=NodePort -n shop
get deploy --field-selector=metadata.name=web -n shop
get pod duo --field-selector=status.phase=Running -n shop
get pod duo -l a=b -n shop
get pods --all -n shop
get
get -o yaml
get pods,
get ,pods
get nonsense
get nonsense/x
get nonsense x -n shop
get pods/duo svc -n shop
get pods/ -n shop
get pod/a/b -n shop
get pods.v1 -n shop
get pods.v1. -n shop
get deployments.apps -n shop
get deployments.v1.apps -n shop
get deploy.extensions -n shop
get deployment.v1beta1.apps -n shop
get po,deploy.apps,SVC -n shop
get Pod -n shop
get pods --watch=nope
get pods --nonsense
get pods -x
get pods -o
get pods --output
get pods --sort-by=.nope -n shop
get pods --sort-by=nope -n shop
get pods --sort-by='{.metadata' -n shop
get pods --sort-by=.metadata.creationTimestamp -n shop -o name
get pods --sort-by=.spec.nodeName -n shop -o wide
get pods --chunk-size=2 -n shop
get pods --chunk-size=0 -n shop
get pods --ignore-not-found -n shop
get pod nope --ignore-not-found -n shop
get pod nope --ignore-not-found -n shop -o json
get pod nope duo --ignore-not-found -n shop
get pod nope -o yaml -n shop
get pod nope -o name -n shop
get deploy nope -n shop
get ns nope
get node nope
get nodes kind-worker -o yaml
get nodes -l node-role.kubernetes.io/control-plane
get nodes -o jsonpath='{.items[*].status.addresses[?(@.type=="InternalIP")].address}'
get nodes -o custom-columns=NAME:.metadata.name,CPU:.status.capacity.cpu
get ns shop -o yaml
get ns shop -o jsonpath='{.status.phase}'
get ns --show-labels
get sc
get storageclass disk -o yaml
get pv vol-1 -o yaml
get pv --sort-by=.spec.capacity.storage
get pvc data -n shop -o yaml
get pvc -n shop -o wide
get pv -o wide
get secret login -n shop -o yaml
get secret login -n shop -o jsonpath='{.data.password}'
get secret login -n shop -o go-template='{{.data.password | base64decode}}'
get secret -n shop
get cm -n shop
get cm settings -n shop -o yaml
get cm settings -n shop -o jsonpath='{.data.app\\.conf}'
get cm settings -n shop -o jsonpath="{.data['mode','app.conf']}"
get cm blob -n shop -o yaml
get cm kube-root-ca.crt -n shop
get sa,role,rolebinding -n shop
get role look -n shop -o yaml
get rolebinding look -n shop -o wide
get clusterrole see-nodes -o yaml
get clusterrolebinding see-nodes -o wide
get networkpolicy -n shop
get netpol guard -n shop -o yaml
get ing -n shop
get ingress front -n shop -o yaml
get ingressclass
get pdb -n shop -o yaml
get hpa web -n shop -o yaml
get quota budget -n shop -o yaml
get limits -n limited
get limits sizes -n limited -o yaml
get priorityclass
get pc urgent -o yaml
get leases -A
get lease -n kube-node-lease -o yaml
get controllerrevisions -n shop
get componentstatuses
get cs
get apiservices
get crd
get csr
get events -n shop --field-selector involvedObject.name=duo
get events -n shop --field-selector involvedObject.name=nope
get events -n shop --for pod/duo
events -n shop --for pod/duo
events -n shop --for deploy/web
events -n shop --for deploy/nope
events -n shop --for nonsense
events -n shop -o json
events -n shop -o yaml --types=Normal --for pod/duo
events -n shop --no-headers
events -n shop --types=Odd
events -n empty
events pods
get deploy web -n shop -o yaml
get deploy web -n shop -o json
get deploy web -n shop -o jsonpath='{.spec.template.spec.containers[0].env[*].name}'
get deploy web api -n shop
get deploy -n shop -l tier=front
get deploy/web -n shop -o wide
get sts -n shop -o wide
get sts db -n shop -o yaml
get ds -n shop -o wide
get job report -n shop -o yaml
get cj often -n shop -o yaml
get svc web -n shop -o yaml
get svc web -n shop -o jsonpath='{.spec.ports[0].port}'
get svc web -n shop -o jsonpath='{.spec.ports[0].targetPort}{.spec.clusterIP}'
get svc,ep -n shop -o name
get ep web -n shop -o yaml
get endpointslices -n shop -o wide
get endpointslices -l kubernetes.io/service-name=web -n shop -o yaml
get pod,svc -n shop --no-headers
get pod,svc -n shop -o yaml
get pod,svc -n shop -o jsonpath='{.items[*].kind}'
get pods,nonsense -n shop
get deploy -A -l tier=front --show-labels
describe pod duo -n shop
describe pod/duo -n shop
describe pod/once pod/twice -n shop
describe pod nope -n shop
describe po du -n shop
describe pods -l app=web -n shop
describe pods -n empty
describe nonsense
describe
describe deploy web -n shop
describe deploy/api -n shop
describe deploy zero -n shop
describe deployments web api -n shop
describe deploy web -n shop --show-events=false
describe rs -n shop -l app=api
describe sts db -n shop
describe ds agent -n shop
describe job report -n shop
describe job/pair -n shop
describe cronjob -n shop
describe cj often -n shop
describe svc web -n shop
describe svc db web-node outside -n shop
describe svc nowhere balanced -n shop
describe ep web -n shop
describe endpointslices -n shop
describe cm settings -n shop
describe cm blob -n shop
describe cm -n shop
describe secret login -n shop
describe secrets -n shop
describe sa reader -n shop
describe sa -n shop
describe pvc data -n shop
describe pv
describe pv vol-1
describe sc disk
describe sc
describe ns shop
describe ns
describe node kind-worker
describe node kind-control-plane
describe ingress front -n shop
describe ingressclass nginx
describe networkpolicy -n shop
describe netpol guard -n shop
describe role look -n shop
describe rolebinding look -n shop
describe clusterrole see-nodes
describe clusterrolebinding see-nodes
describe hpa web -n shop
describe pdb -n shop
describe quota budget -n shop
describe limits -n limited
describe ns limited
describe priorityclass urgent
describe lease -n kube-node-lease
describe controllerrevisions -n shop
describe events -n empty
describe pod duo -n nope
describe deploy web svc -n shop
describe all -n empty
describe pods duo -l a=b -n shop
describe -f pod.yaml
logs duo -n shop
logs duo -n shop -c first
logs duo -n shop -c second --tail=3
logs duo -n shop -c prepare
logs duo first -n shop
logs duo -n shop -c nope
logs duo -n shop --all-containers
logs duo -n shop --all-containers --prefix
logs duo -n shop --all-containers --tail=1 --timestamps
logs duo -n shop --tail=0
logs duo -n shop --tail=-1 -c first
logs duo -n shop --tail=-5
logs duo -n shop --tail=x
logs duo -n shop --since=1m
logs duo -n shop --since=10s
logs duo -n shop --since=-5s
logs duo -n shop --since=abc
logs duo -n shop --since-time=2026-01-01T00:00:00Z --tail=2
logs duo -n shop --since-time=nope
logs duo -n shop --since=1m --since-time=2026-01-01T00:00:00Z
logs duo -n shop --limit-bytes=20
logs duo -n shop --limit-bytes=-3
logs duo -n shop --previous
logs duo -n shop -p -c first
logs duo -n shop --timestamps --tail=2
logs pod/duo -n shop -c first
logs pods/duo pods/once -n shop
logs pod duo -n shop
logs nope -n shop
logs duo -n nope
logs duo
logs -n shop
logs once -n shop
logs twice -n shop
logs twice -n shop --previous
logs deploy/web -n shop
logs deploy/web -n shop --tail=1
logs deploy/web -n shop --all-pods
logs deploy/nope -n shop
logs deploy/zero -n shop --pod-running-timeout=1s
logs deployment.apps/web -n shop
logs job/report -n shop
logs job/pair -n shop --all-pods --prefix
logs cronjob/often -n shop
logs sts/db -n shop
logs statefulset/db -n shop -c sql --timestamps=false
logs ds/agent -n shop
logs svc/web -n shop
logs svc/outside -n shop
logs cm/settings -n shop
logs rs/nope -n shop
logs -l app=web -n shop --tail=1
logs -l app=nothing -n shop
logs -l run=duo -n shop --all-containers --tail=1
logs -l run=duo -n shop
logs -l app=web duo -n shop
logs -l app=web -n shop --max-log-requests=1
logs -l app=web -n shop -f --max-log-requests=1
logs duo -n shop --container=first --nonsense
logs duo -n shop -c first --all-containers
logs nonsense/x -n shop
top pod duo -n shop
top pod duo -n shop --containers
top pod nope -n shop
top pods -n empty
top pods -n shop --no-headers
top pods -n shop -l app=web
top pods -l app=nothing -n shop
top pods -n shop --sort-by=nope
top pods -n shop --sum
top pods -n shop --containers --sum
top pods -n shop duo -l a=b
top pods --field-selector metadata.name=duo -n shop
top node kind-worker
top node nope
top nodes --no-headers
top nodes --sort-by=cpu
top nodes --sort-by=memory
top nodes --show-capacity
top
top nonsense
top pod once -n shop
rollout status deploy/web -n shop
rollout status deployment web -n shop
rollout status deploy/web deploy/api -n shop
rollout status deploy/zero -n shop
rollout status sts/db -n shop
rollout status ds/agent -n shop
rollout status rs/x -n shop
rollout status deploy/nope -n shop
rollout status job/report -n shop
rollout status deploy -n shop
rollout status deploy/web -n shop --revision=7
rollout status deploy/web -n shop --watch=false
rollout status
rollout history deploy/web -n shop
rollout history deploy/api -n shop
rollout history deploy api -n shop --revision=2
rollout history deploy/api -n shop --revision=1 -o yaml
rollout history deploy/api -n shop --revision=9
rollout history deploy -n shop
rollout history sts/db -n shop
rollout history ds/agent -n shop
rollout history ds/agent -n shop --revision=1
rollout history deploy/nope -n shop
rollout history svc/web -n shop
rollout nonsense
rollout
exec duo -n shop -- ls /
exec duo -n shop -c first -- echo hello
exec duo -n shop -- sh -c 'echo out; echo err >&2; exit 3'
exec -i duo -n shop -c first -- cat
exec -it duo -n shop -c first -- echo hi
exec duo -n shop -c nope -- ls
exec nope -n shop -- ls
exec once -n shop -- ls
exec deploy/web -n shop -- env
exec deploy/zero -n shop --pod-running-timeout=1s -- env
exec deploy/web -n shop -- cat /etc/shop/app.conf
exec deploy/web -n shop -- nothing-there
exec deploy/web -n shop
exec duo -n shop ls
exec -n shop -- ls
exec duo -n shop -- cat /nope
exec svc/web -n shop -- hostname
exec sts/db -n shop -- hostname
wait --for=condition=Ready pod/duo -n shop --timeout=1s
wait --for=condition=Ready pod -l app=web -n shop --timeout=1s
wait --for=condition=Ready pods --all -n empty --timeout=1s
wait --for=condition=Available deploy/web deploy/api -n shop --timeout=1s
wait --for=condition=complete job/report -n shop --timeout=1s
wait --for=condition=complete job/nope -n shop --timeout=1s
wait --for=condition=Nope pod/duo -n shop --timeout=1s
wait --for=condition=Ready=false pod/duo -n shop --timeout=1s
wait --for=condition=Ready=false pod/once -n shop --timeout=1s
wait --for=jsonpath='{.status.phase}'=Running pod/duo -n shop --timeout=1s
wait --for=jsonpath='{.status.phase}' pod/duo -n shop --timeout=1s
wait --for=jsonpath='{.status.phase}'=Nope pod/duo -n shop --timeout=1s
wait --for=jsonpath='{.spec.replicas}'=3 deploy/web -n shop --timeout=1s
wait --for=jsonpath='{.nope}'=1 deploy/web -n shop --timeout=1s
wait --for=jsonpath={.status pod/duo -n shop --timeout=1s
wait --for=delete pod/nope -n shop --timeout=1s
wait --for=delete pod/duo -n shop --timeout=1s
wait --for=create pod/duo -n shop --timeout=1s
wait --for=create pod/nope -n shop --timeout=1s
wait --for=nonsense pod/duo -n shop
wait pod/duo -n shop
wait --for=condition=Ready -n shop
wait --for=condition=Ready pod/duo -n shop --timeout=x
wait --for=condition=Ready pod -l app=nothing -n shop --timeout=1s
wait --for=condition=Ready nodes --all --timeout=1s
wait --for=condition=Ready nonsense/x --timeout=1s
diff -f web.yaml
diff -f same.yaml
diff -f nope.yaml
get -f pod.yaml
get -f nope.yaml
get -f bad.yaml
port-forward
nonsense
gett pods
help nonsense
-n shop get pods
--namespace shop get pods --nonsense
-n
--nonsense
kubectl get pods
""".strip().splitlines()
"""In the healthy state."""

BROKEN_PODS = (
    "crash pull hungry nowhere unmounted unset initfail unready sick halfway noexec waits evicted-1 fails web-5".split()
)
MOVING_PODS = "web starting held deaf long api agent".split()

PER_BROKEN_POD = """
get pod {} -n shop
get pod {} -n shop -o wide
get pod {} -n shop -o yaml
get pod {} -n shop -o jsonpath='{.status.containerStatuses[0].state}'
get pod {} -n shop -o jsonpath='{.status.conditions[?(@.status=="False")].message}'
describe pod {} -n shop
logs {} -n shop
logs {} -n shop --previous
logs {} -n shop --tail=1 --all-containers
exec {} -n shop -- ls
top pod {} -n shop
events -n shop --for pod/{}
wait --for=condition=Ready pod/{} -n shop --timeout=1s
""".strip().splitlines()

BROKEN = """
describe deploy crash -n shop
describe deploy web -n shop
describe deploy pull hungry -n shop
describe deploy halfway -n shop
describe rs -n shop -l app=crash
describe job fails -n shop
describe svc nowhere -n shop
describe svc toobad -n shop
describe pvc stuck -n shop
describe ns going
describe quota -n shop
describe hpa -n shop
describe pdb -n shop
describe pods -l app=evicted -n shop
logs deploy/crash -n shop
logs deploy/crash -n shop --previous --tail=1
logs deploy/pull -n shop
logs deploy/halfway -n shop
logs deploy/halfway -n shop --all-containers --prefix
logs deploy/initfail -n shop -c check
logs deploy/initfail -n shop -c ok
logs -l app=crash -n shop --prefix
logs -l app=pull -n shop
logs job/fails -n shop
rollout status deploy/web -n shop --timeout=1s
rollout status deploy/crash -n shop --timeout=1s
rollout status deploy/crash -n shop --watch=false
rollout history deploy/web -n shop
rollout history deploy/web -n shop --revision=2
wait --for=condition=Available deploy --all -n shop --timeout=1s
wait --for=condition=Ready pod --all -n shop --timeout=1s
wait --for=condition=complete job/fails -n shop --timeout=1s
wait --for=condition=failed job/fails -n shop --timeout=1s
get pods -n shop --field-selector=status.phase=Failed
get pods -n shop --field-selector=status.phase=Pending -o wide
get pods -n shop --sort-by='.status.containerStatuses[0].restartCount'
get pods -n shop -o jsonpath='{.items[*].status.containerStatuses[*].state.waiting.reason}'
get pods -n shop -o jsonpath='{range .items[?(@.status.phase!="Running")]}{.metadata.name}{"\\n"}{end}'
get pods -n shop -o custom-columns=N:.metadata.name,W:.status.containerStatuses[*].state.waiting.reason
get pods -n shop -o custom-columns=N:.metadata.name,L:.status.containerStatuses[*].lastState.terminated.exitCode
get events -n shop --field-selector reason=BackOff
get events -n shop --field-selector reason=FailedScheduling -o wide
get events -n shop --field-selector type=Warning --sort-by=.count
get events -n shop --sort-by='{.lastTimestamp}' -o name
get deploy -n shop -o jsonpath='{range .items[*]}{.metadata.name}={.status.availableReplicas}{"\\n"}{end}'
get deploy crash -n shop -o jsonpath='{.status.conditions[?(@.type=="Available")].message}'
get rs -n shop -l app=web
get ns going
top pods -n shop --containers --sort-by=memory
top pods -n shop -l app=crash
events -n shop --for deploy/crash --types=Warning
events -n shop --for replicaset/nope
""".strip().splitlines()

MOVING = """
describe deploy web -n shop
describe deploy api -n shop
describe ds agent -n shop
describe job long -n shop
describe cj nightly -n shop
describe pod held -n shop
describe node kind-control-plane
describe pod starting -n shop
rollout status deploy/web -n shop --timeout=1s
rollout status deploy/web -n shop --watch=false
rollout status deploy/api -n shop --timeout=1s
rollout status ds/agent -n shop --timeout=1s
rollout status sts/db -n shop --timeout=1s
rollout history deploy/web -n shop
rollout history deploy/web -n shop --revision=2
rollout history ds/agent -n shop
rollout history ds/agent -n shop --revision=2
logs starting -n shop
logs starting -n shop -c slow
logs job/long -n shop
logs held -n shop
logs deploy/web -n shop --tail=3
wait --for=condition=complete job/long -n shop --timeout=1s
wait --for=delete pod/held -n shop --timeout=1s
wait --for=condition=Available deploy/api -n shop --timeout=1s
get pods -n shop -l app=web -o wide
get rs -n shop -l app=web -o wide
get deploy web -n shop -o jsonpath='{.status}'
get pod held -n shop -o jsonpath='{.metadata.deletionTimestamp}'
get job long -n shop -o yaml
get nodes -o custom-columns=N:.metadata.name,U:.spec.unschedulable
""".strip().splitlines()

HOTEL = """
get deploy geo -n test-hotel-reservation -o yaml
describe deploy geo -n test-hotel-reservation
describe pod {pod:geo} -n test-hotel-reservation
describe pod {pod:mongodb-geo} -n test-hotel-reservation
describe svc mongodb-geo -n test-hotel-reservation
logs deploy/geo -n test-hotel-reservation
logs deploy/geo -n test-hotel-reservation --previous --tail=5
logs {pod:frontend} -n test-hotel-reservation --tail=20
logs deploy/mongodb-geo -n test-hotel-reservation --tail=10
exec deploy/mongodb-geo -n test-hotel-reservation -- ls /docker-entrypoint-initdb.d
exec deploy/frontend -n test-hotel-reservation -- ls
get pods -n kube-system
get pods -n kube-system -o wide
describe ds -n kube-system
get all -n observe
get cm -n test-hotel-reservation
describe cm -n test-hotel-reservation
get pvc,pv -n test-hotel-reservation
describe pv
get sts -n observe -o wide
top pods -n kube-system
rollout history deploy/geo -n test-hotel-reservation
rollout status deploy/geo -n test-hotel-reservation --timeout=1s
describe ns test-hotel-reservation
get events -A --field-selector type=Warning
""".strip().splitlines()
