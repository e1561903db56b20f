"""Command lines that change something; `files.py` has what `-f` names. All in the shop's namespace."""

from __future__ import annotations

CHANGES = """
patch svc web -p '{"spec":{"ports":[{"port":80,"targetPort":9090}]}}'
patch svc web -p '{"spec":{"selector":{"app":"api"}}}'
patch svc web --patch '{"spec":{"type":"NodePort"}}' -o yaml
patch deploy web -p '{"spec":{"replicas":4}}'
patch deploy web -p '{"spec":{"replicas":3}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:2"}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"PLAIN","value":"b"}]}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"MODE","$patch":"delete"}]}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"side"},{"name":"app"}],"containers":[{"name":"side","image":"busybox:1.36"}]}}}}'
patch deploy web -p 'spec: {replicas: 2}'
patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":5}]'
patch deploy web --type=json -p '[{"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"name":"X","value":"1"}}]'
patch deploy web --type=json -p '[{"op":"remove","path":"/spec/template/spec/containers/0/env/0"}]'
patch deploy web --type=json -p '[{"op":"remove","path":"/spec/nope"}]'
patch deploy web --type=json -p '[{"op":"test","path":"/spec/replicas","value":9},{"op":"replace","path":"/spec/replicas","value":5}]'
patch deploy web --type=json -p '[{"op":"replace","path":"/spec/nope/deep","value":5}]'
patch deploy web --type=json -p '[{"op":"nonsense","path":"/spec/replicas"}]'
patch deploy web --type=json -p '{"spec":{}}'
patch deploy web --type=json -p '[{"op":"move","from":"/metadata/labels/tier","path":"/metadata/labels/layer"}]'
patch deploy web --type=json -p '[{"op":"copy","from":"/metadata/labels/tier","path":"/metadata/labels/layer"}]'
patch deploy web --type=merge -p '{"spec":{"replicas":null}}'
patch deploy web --type=merge -p '{"metadata":{"labels":{"tier":null,"new":"x"}}}'
patch deploy web --type=merge -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:1"}]}}}}'
patch deploy web --type=nonsense -p '{}'
patch deploy web -p '{bad'
patch deploy web -p ''
patch deploy web -p '[]'
patch deploy web -p '"text"'
patch deploy web
patch deploy -p '{}'
patch deploy nope -p '{}'
patch nonsense x -p '{}'
patch deploy web -p '{"spec":{"selector":{"matchLabels":{"app":"other"}}}}'
patch deploy web -p '{"spec":{"replicas":"two"}}'
patch deploy web -p '{"spec":{"replicas":-1}}'
patch deploy web -p '{"spec":{"nope":1}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"Bad_Name","image":"x"}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"new"}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"abc"}}}]}}}}'
patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}}}}'
patch deploy web -p '{"spec":{"strategy":{"type":"Recreate"}}}'
patch deploy web -p '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}'
patch deploy web -p '{"spec":{"paused":true}}' --dry-run=client
patch deploy web -p '{"spec":{"paused":true}}' --dry-run=server
patch deploy web -p '{"spec":{"replicas":7}}' --dry-run=client -o yaml
patch deploy web -p '{"spec":{"replicas":7}}' -o name
patch deploy web -p '{"spec":{"replicas":7}}' -o jsonpath='{.spec.replicas}'
patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'
patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":9}}'
patch deploy web --subresource=nonsense -p '{}'
patch deploy/web svc/web -p '{"metadata":{"labels":{"x":"y"}}}'
patch deploy web --patch-file=patch.yaml
patch deploy web --patch-file=nope.yaml
patch deploy web --patch-file=patch.yaml -p '{}'
patch pod duo -p '{"spec":{"containers":[{"name":"first","image":"busybox:1.37"}]}}'
patch pod duo -p '{"spec":{"nodeName":"elsewhere"}}'
patch pod duo -p '{"spec":{"activeDeadlineSeconds":3000}}'
patch pod duo -p '{"metadata":{"finalizers":null}}'
patch cm settings -p '{"data":{"mode":"slow"}}'
patch cm settings --type=merge -p '{"data":{"mode":null}}'
patch cm settings -p '{"data":{"bad key!":"x"}}'
patch secret login -p '{"stringData":{"user":"root"}}'
patch secret login -p '{"data":{"user":"not base64!"}}'
patch node kind-worker -p '{"spec":{"unschedulable":true}}'
patch pvc data -p '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}'
patch pv vol-1 -p '{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'
patch svc web -p '{"spec":{"clusterIP":"10.96.0.77"}}'
patch svc web -p '{"spec":{"ports":[{"port":99999}]}}'
patch svc web -p '{"spec":{"ports":null}}'
patch svc web -p '{"spec":{"ports":[{"port":8081,"name":"extra"}]}}'
patch hpa web -p '{"spec":{"maxReplicas":2}}'
patch cj often -p '{"spec":{"suspend":true}}'
patch cj often -p '{"spec":{"schedule":"not a schedule"}}'
patch job report -p '{"spec":{"parallelism":0}}'
patch job report -p '{"spec":{"completions":4}}'
patch sts db -p '{"spec":{"serviceName":"other"}}'
patch sts db -p '{"spec":{"replicas":3}}'
patch ingress front --type=json -p '[{"op":"replace","path":"/spec/rules/0/host","value":"x.example.com"}]'
patch ns shop -p '{"metadata":{"labels":{"a":"b"}}}'
scale deploy web --replicas=5
scale deploy web --replicas=0
scale deploy/web deploy/api --replicas=1
scale deploy web --replicas=-1
scale deploy web --replicas=x
scale deploy web
scale deploy nope --replicas=1
scale deploy web --replicas=2 --current-replicas=3
scale deploy web --replicas=2 --current-replicas=9
scale deploy web --replicas=2 -o yaml
scale deploy web --replicas=2 -o name
scale deploy web --replicas=2 --dry-run=client
scale deploy web --replicas=2 --dry-run=server
scale deploy --all --replicas=1
scale deploy -l tier=back --replicas=1
scale sts db --replicas=3
scale rs {rs:api} --replicas=0
scale ds agent --replicas=1
scale job report --replicas=1
scale svc web --replicas=1
scale --replicas=3
scale -f web.yaml --replicas=2
scale deploy web --replicas=2 --timeout=1s
set image deploy/web app=app:2
set image deploy web app=app:2
set image deploy/web '*=app:2'
set image deploy/web nope=app:2
set image deploy/web app=
set image deploy/web app
set image deploy/web
set image deploy/nope app=x
set image deploy/web app=app:1
set image pod/duo first=busybox:1.37
set image deploy,sts --all '*=app:2'
set image deploy/web app=app:2 -o yaml
set image deploy/web app=app:2 --dry-run=client
set image deploy/web app=app:2 --dry-run=server -o name
set image -f web.yaml app=app:2 --local -o yaml
set image cj/often work=busybox:1.37
set image svc/web app=x
set env deploy/web COLOUR=red
set env deploy/web PLAIN=other MODE-
set env deploy/web PLAIN-
set env deploy/web --list
set env deploy/web --list --resolve
set env deploy --all --list
set env pod/duo --list
set env deploy/web --from=configmap/settings
set env deploy/web --from=secret/login --prefix=DB_
set env deploy/web --from=cm/nope
set env deploy/web -c app A=1
set env deploy/web -c nope A=1
set env deploy/web A=1 -o yaml
set env deploy/web A=1 --dry-run=client -o name
set env deploy/web
set env deploy/web bad-
set env deploy/web 'A B=1'
set env deploy/nope A=1
set env sts/db A=1 B=2
set env svc/web A=1
set env -e A=1 deploy/web
set resources deploy/web --limits=cpu=1,memory=256Mi
set resources deploy/web --requests=cpu=200m
set resources deploy/web -c app --limits=cpu=300m --requests=cpu=100m,memory=32Mi
set resources deploy/web --limits=cpu=0
set resources deploy/web --limits=cpu=x
set resources deploy/web --limits=cpu=10m
set resources deploy/web
set resources deploy/nope --limits=cpu=1
set resources deploy/web --limits=cpu=1 -o yaml --dry-run=client
set resources deploy/web -c nope --limits=cpu=1
set selector svc web app=api
set selector svc web app=api --dry-run=client -o yaml
set selector deploy web app=api
set serviceaccount deploy web reader
set sa deploy/web reader
set subject rolebinding look --user=bob
set subject rolebinding look --serviceaccount=shop:builder --group=g
set nonsense
set
rollout restart deploy/web
rollout restart deploy web api
rollout restart deploy
rollout restart sts/db ds/agent
rollout restart pod/duo
rollout restart deploy/nope
rollout restart deploy -l tier=back
rollout restart
rollout pause deploy/web
rollout pause deploy/web deploy/nope
rollout pause sts/db
rollout resume deploy/web
rollout undo deploy/api
rollout undo deploy/api --to-revision=1
rollout undo deploy/api --to-revision=2
rollout undo deploy/api --to-revision=9
rollout undo deploy/web
rollout undo deploy/api --dry-run=client
rollout undo deploy/api --dry-run=server
rollout undo sts/db
rollout undo ds/agent
rollout undo deploy/nope
rollout undo svc/web
rollout undo deploy/zero
delete pod duo --wait=false
delete pod duo once --wait=false
delete pod/duo pod/once --wait=false
delete pod duo --force --grace-period=0
delete pod duo --force
delete pod duo --grace-period=0 --wait=false
delete pod duo --now --wait=false
delete pod duo --grace-period=5 --wait=false
delete pod duo --wait=false -o name
delete pod duo --wait=false -o yaml
delete pod duo --dry-run=client
delete pod duo --dry-run=server
delete pod nope
delete pod nope duo --wait=false
delete pod nope --ignore-not-found
delete pods -l app=web --wait=false
delete pods -l app=nothing
delete pods --all --wait=false
delete pods --field-selector=status.phase=Succeeded --wait=false
delete pods
delete
delete pods duo --all
delete deploy web
delete deploy web api
delete deploy web --cascade=orphan
delete deploy web --cascade=foreground --wait=false
delete deploy web --cascade=nonsense
delete deploy nope
delete deploy --all
delete svc web
delete svc web nope
delete job report
delete cm settings
delete secret login
delete networkpolicy deny-all
delete ns empty --wait=false
delete ns nope
delete node kind-worker --wait=false
delete pvc data --wait=false
delete pv vol-free --wait=false
delete deploy,svc web
delete deploy/web svc/web
delete all --all --wait=false
delete -f web.yaml
delete -f two.yaml
delete -f two.yaml --ignore-not-found
delete -f nope.yaml
delete nonsense x
delete pod duo -l a=b
delete pod duo --timeout=1s
delete pod held --timeout=1s
delete sts db --wait=false
delete hpa web
delete ingress front
delete pods --all -A --wait=false
delete pod duo --wait=false --grace-period=-2
label pod duo x=y
label pod duo colour=red
label pod duo colour=red --overwrite
label pod duo colour=blue
label pod duo colour-
label pod duo nope-
label pod duo x=y z-
label pod duo x=y x-
label pod duo
label pod duo 'x y=z'
label pod duo x='a b'
label pod duo x=
label pod nope x=y
label pods --all x=y
label pods -l app=web x=y
label pods x=y
label deploy/web svc/web x=y
label pod duo x=y --dry-run=client
label pod duo x=y --dry-run=server
label pod duo x=y -o yaml
label pod duo x=y -o name
label pod duo --list
label pods --all --list
label node kind-worker disk=ssd
label ns shop team=a
label pod duo x=y --resource-version=1
label -f pod.yaml x=y
label --local -f pod.yaml x=y -o yaml
annotate pod duo x=y
annotate pod duo note=other
annotate pod duo note=other --overwrite
annotate pod duo note-
annotate pod duo nope-
annotate deploy web 'text=some words'
annotate pod duo
annotate pod duo x
annotate pod nope x=y
annotate pods --all x=y
annotate pod duo --list
annotate pod duo x=y --dry-run=client -o yaml
annotate deploy/web kubernetes.io/change-cause='by hand'
create deploy new --image=app:1
create deploy new --image=app:1 --replicas=3 --port=8080
create deploy new --image=app:1 --dry-run=client -o yaml
create deploy new --image=app:1 --dry-run=server
create deploy new --image=app:1 --dry-run=server -o yaml
create deploy new --image=app:1 --image=busybox -o name
create deploy new --image=registry.example.com/a/b:1 -- sh -c 'sleep 9'
create deploy web --image=app:1
create deploy new
create deploy --image=x
create deploy Bad_Name --image=x
create cm new --from-literal=a=b --from-literal=c=d
create cm new --from-literal=a=b --dry-run=client -o yaml
create cm new --from-file=app.conf
create cm new --from-file=key=app.conf
create cm new --from-file=dir
create cm new --from-env-file=app.conf
create cm new --from-file=nope
create cm new --from-literal=bad
create cm new --from-literal=a=b --from-literal=a=c
create cm new
create cm settings --from-literal=a=b
create cm new --from-literal=a=b --append-hash
create cm new --from-literal=a=b -o json
create secret generic new --from-literal=a=b
create secret generic new --from-literal=a=b --dry-run=client -o yaml
create secret generic new --from-file=app.conf --type=my/type
create secret docker-registry new --docker-server=s --docker-username=u --docker-password=p
create secret docker-registry new --docker-username=u --docker-password=p --dry-run=client -o json
create secret tls new --cert=nope --key=nope
create secret generic login --from-literal=a=b
create secret nonsense new
create secret
create ns new
create ns shop
create ns new --dry-run=client -o yaml
create ns Bad_Name
create sa new
create sa reader
create sa new --dry-run=server -o yaml
create job new --image=busybox:1.36 -- echo hi
create job new --image=busybox:1.36 --dry-run=client -o yaml -- sh -c 'echo hi'
create job new --from=cronjob/often
create job new --from=cronjob/often --dry-run=client -o yaml
create job new --from=cronjob/nope
create job new
create cronjob new --image=busybox:1.36 --schedule='*/5 * * * *' -- date
create cronjob new --image=busybox:1.36 --schedule='bad' -- date
create cronjob new --image=busybox:1.36
create svc clusterip new --tcp=80:8080
create svc clusterip new --tcp=80 --tcp=443:8443 --dry-run=client -o yaml
create svc clusterip new --clusterip=None
create svc nodeport new --tcp=80:8080 --node-port=30099
create svc nodeport new --tcp=80:8080 --node-port=30080
create svc loadbalancer new --tcp=80:http --dry-run=client -o yaml
create svc externalname new --external-name=example.org
create svc clusterip web --tcp=80
create svc clusterip new
create svc clusterip new --tcp=bad
create svc nonsense new
create role new --verb=get,list --resource=pods
create role new --verb=get --resource=pods,deployments.apps,pods/log --dry-run=client -o yaml
create role new --verb=get --resource=nonsense
create role new --verb=nonsense --resource=pods
create role new --resource=pods
create role new --verb=get --resource=pods --resource-name=duo
create rolebinding new --role=look --user=bob
create rolebinding new --clusterrole=view --serviceaccount=shop:reader --group=g --dry-run=client -o yaml
create rolebinding new --role=look --serviceaccount=bad
create rolebinding new
create clusterrole new --verb=get --resource=nodes
create clusterrole new --verb=get --non-resource-url=/metrics --dry-run=client -o yaml
create clusterrole new --aggregation-rule=a=b --dry-run=client -o yaml
create clusterrolebinding new --clusterrole=see-nodes --user=bob
create clusterrolebinding new --user=bob
create quota new --hard=pods=5,services=2
create quota new --hard=pods=x
create quota new --hard=pods=5 --scopes=BestEffort --dry-run=client -o yaml
create pdb new --selector=app=api --min-available=1
create pdb new --selector=app=api --max-unavailable=50% --dry-run=client -o yaml
create pdb new --min-available=1
create priorityclass new --value=10 --description=text
create priorityclass new --value=10 --global-default --dry-run=client -o yaml
create ingress new --rule='a.example.com/=web:80'
create ingress new --rule='a.example.com/x*=web:80,tls=cert' --class=nginx --dry-run=client -o yaml
create ingress new --default-backend=web:80
create ingress new
create ingress new --rule=bad
create token reader --dry-run=client
create token nope
create -f web.yaml
create -f new.yaml
create -f new.yaml -o yaml
create -f new.yaml --dry-run=client
create -f new.yaml --dry-run=client -o yaml
create -f new.yaml --dry-run=server
create -f two.yaml
create -f bad.yaml
create -f nope.yaml
create -f unknown.yaml
create -f unknownfield.yaml
create -f unknownfield.yaml --validate=false
create -f unknownfield.yaml --validate=warn
create -f wrongtype.yaml
create -f invalid.yaml
create -f otherns.yaml
create -f pod.json
create -f generate.yaml -o name
create -f
create
create nonsense
create pod x
apply -f new.yaml
apply -f web.yaml
apply -f web.yaml --dry-run=client
apply -f web.yaml --dry-run=server
apply -f web.yaml -o yaml
apply -f same.yaml
apply -f two.yaml
apply -f two.yaml --dry-run=client -o yaml
apply -f applied.yaml
apply -f bad.yaml
apply -f nope.yaml
apply -f unknown.yaml
apply -f unknownfield.yaml
apply -f wrongtype.yaml
apply -f invalid.yaml
apply -f immutable.yaml
apply -f otherns.yaml
apply -f -
apply -f dir2
apply -f dir2 -R
apply -f new.yaml --server-side
apply -f web.yaml --server-side
apply -f web.yaml --server-side --force-conflicts
apply -f web.yaml --prune
apply
apply -f
apply -f web.yaml nonsense
apply -k nope
apply -f generate.yaml
apply -f new.yaml --validate=nonsense
apply -f new.yaml --dry-run=nonsense
apply -f new.yaml --dry-run
apply -f list.yaml
apply view-last-applied deploy/web
apply view-last-applied svc/applied
apply set-last-applied -f web.yaml
replace -f web.yaml
replace -f new.yaml
replace -f web.yaml --dry-run=client
replace -f web.yaml -o yaml
replace --force -f cm.yaml
replace -f cm.yaml
replace -f immutable.yaml
replace -f nope.yaml
replace
replace -f pod.yaml
expose deploy web --port=81
expose deploy web --port=81 --name=web2 --target-port=8080 --type=NodePort
expose deploy web --port=81 --name=web2
expose deploy api --port=80
expose deploy web --name=web2
expose deploy api --name=api2
expose pod duo --port=80
expose svc web --port=90 --name=web3
expose deploy web --port=81 --name=web2 --dry-run=client -o yaml
expose deploy nope --port=80
expose cm settings --port=80
expose rs {rs:api} --port=80 --name=ra
expose deploy web --port=80 --protocol=nonsense --name=x
run new --image=busybox:1.36
run new --image=busybox:1.36 --restart=Never -- sleep 5
run new --image=busybox:1.36 --dry-run=client -o yaml
run new --image=busybox:1.36 --dry-run=client -o yaml --command -- sh -c 'echo a b'
run new --image=busybox:1.36 --labels=a=b,c=d --env=X=1 --port=80
run new --image=busybox:1.36 --port=80 --expose
run new --image=busybox:1.36 --overrides='{"spec":{"nodeName":"kind-worker"}}'
run new --image=busybox:1.36 --dry-run=server -o yaml
run new
run duo --image=x
run Bad_Name --image=x
run new --image='bad image'
run new --image=x --restart=nonsense
run new --image=x --rm
run new --image=x -o name
run new --image=x --nonsense
autoscale deploy api --max=5
autoscale deploy api --min=2 --max=5 --cpu-percent=60
autoscale deploy api --min=2 --max=5 --dry-run=client -o yaml
autoscale deploy api
autoscale deploy api --min=9 --max=5
autoscale deploy web --max=5
autoscale deploy nope --max=5
autoscale svc web --max=5
cordon kind-worker
cordon kind-worker --dry-run=client
cordon nope
cordon
cordon kind-worker kind-control-plane
uncordon kind-worker
uncordon kind-control-plane
drain nope
drain kind-worker
drain kind-worker --dry-run=client
drain kind-worker --ignore-daemonsets --dry-run=client
drain kind-worker --ignore-daemonsets --dry-run=server
drain kind-control-plane --ignore-daemonsets
drain kind-control-plane --ignore-daemonsets --force --delete-emptydir-data
drain
drain kind-worker --ignore-daemonsets --delete-emptydir-data --force --disable-eviction --dry-run=client
taint node kind-worker a=b:NoSchedule
taint nodes kind-worker a=b:NoExecute c:PreferNoSchedule
taint node kind-worker a-
taint node kind-control-plane node-role.kubernetes.io/control-plane-
taint node kind-control-plane node-role.kubernetes.io/control-plane:NoSchedule-
taint node kind-worker a=b:Nonsense
taint node kind-worker a=b
taint node kind-worker
taint node nope a=b:NoSchedule
taint nodes --all a=b:NoSchedule
taint nodes -l kubernetes.io/os=linux a=b:NoSchedule
taint node kind-control-plane node-role.kubernetes.io/control-plane=x:NoSchedule
taint node kind-control-plane node-role.kubernetes.io/control-plane=x:NoSchedule --overwrite
taint node kind-worker a=b:NoSchedule --dry-run=client -o yaml
taint pod duo a=b:NoSchedule
certificate approve nope
auth reconcile -f role.yaml
""".strip().splitlines()

BROKEN_CHANGES = """
rollout undo deploy/web
rollout undo deploy/web --to-revision=1
rollout restart deploy/crash
set image deploy/pull app=app:1
set image deploy/web app=app:1
set env deploy/unset A-
scale deploy hungry --replicas=0
delete pod {pod:crash} --wait=false
delete pod {pod:hungry}
delete pod evicted-1 --wait=false
delete pods --field-selector=status.phase=Failed --wait=false
delete pod {pod:crash} --force --grace-period=0
delete pvc stuck --wait=false
delete deploy crash
delete job fails --wait=false
patch deploy hungry --type=json -p '[{"op":"remove","path":"/spec/template/spec/containers/0/resources"}]'
patch deploy nowhere --type=merge -p '{"spec":{"template":{"spec":{"nodeSelector":null}}}}'
patch deploy sick --type=json -p '[{"op":"remove","path":"/spec/template/spec/containers/0/livenessProbe"}]'
patch svc toobad -p '{"spec":{"ports":[{"port":80,"targetPort":8080}]}}'
patch pod {pod:pull} -p '{"spec":{"containers":[{"name":"app","image":"app:1"}]}}'
create cm absent --from-literal=a=b
create secret generic absent --from-literal=k=v
label node kind-worker disk=ssd
set resources deploy/hungry --requests=cpu=100m,memory=64Mi
rollout pause deploy/web
drain kind-worker --ignore-daemonsets
expose deploy unready --port=80
autoscale deploy crash --max=3
annotate deploy/web kubernetes.io/change-cause=broken
delete ns going --wait=false
""".strip().splitlines()

MOVING_CHANGES = """
rollout undo deploy/web
rollout pause deploy/web
rollout resume deploy/api
rollout pause deploy/api
rollout restart deploy/api
rollout undo deploy/api
rollout undo ds/agent
rollout restart ds/agent
delete pod held --wait=false
delete pod held --timeout=1s
delete pod deaf --force --grace-period=0
delete pod deaf --grace-period=1 --wait=false
patch pod held -p '{"metadata":{"finalizers":null}}'
patch pod held --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'
patch pod held --type=merge -p '{"metadata":{"finalizers":[]}}'
label pod held x=y
scale deploy api --replicas=1
scale deploy web --replicas=6
set image deploy/web app=app:1
set env deploy/api A=1
uncordon kind-control-plane
cordon kind-control-plane
delete job long --wait=false
patch job long -p '{"spec":{"suspend":true}}'
delete deploy web
create job again --from=cronjob/nightly
taint node kind-control-plane node.kubernetes.io/unschedulable-
exec starting -- ls
""".strip().splitlines()
