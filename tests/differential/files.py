"""The files that the command lines name."""

from __future__ import annotations

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
    tier: front
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: app
        image: app:1
        ports:
        - containerPort: 8080
"""
NEW = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: fresh
spec:
  replicas: 2
  selector:
    matchLabels: {app: fresh}
  template:
    metadata:
      labels: {app: fresh}
    spec:
      containers:
      - name: app
        image: busybox:1.36
        command: ["sh", "-c", "sleep 60"]
        resources:
          limits: {cpu: "1", memory: 1024Mi}
          requests: {cpu: 0.1}
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: slow
"""
SAME = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: fast
  app.conf: "a=1\\nb=2\\n# end\\n"
  empty: ""
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: duo
spec:
  containers:
  - name: first
    image: busybox:1.36
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: fresh
spec:
  selector:
    app: fresh
  ports:
  - port: 80
"""
LAST = (
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"web","namespace":"shop"},'
    '"spec":{"replicas":2}}'
)

FILES = {
    "web.yaml": WEB,
    "new.yaml": NEW,
    "cm.yaml": CONFIG_MAP,
    "same.yaml": SAME,
    "pod.yaml": POD,
    "two.yaml": f"{CONFIG_MAP.replace('settings', 'extra')}---\n{SERVICE}",
    "list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l1}}\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: l2}, data: {n: 'on'}}\n",
    "bad.yaml": "apiVersion: v1\nkind: [\n",
    "unknown.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n",
    "unknownfield.yaml": CONFIG_MAP.replace("settings", "odd") + "nonsense: 1\n",
    "wrongtype.yaml": NEW.replace("replicas: 2", "replicas: two"),
    "invalid.yaml": NEW.replace("labels: {app: fresh}", "labels: {app: other}"),
    "immutable.yaml": WEB.replace("      app: web", "      app: other"),
    "otherns.yaml": CONFIG_MAP.replace("name: settings", "name: settings\n  namespace: empty"),
    "generate.yaml": CONFIG_MAP.replace("name: settings", "generateName: made-"),
    "pod.json": '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "fromjson"},'
    ' "spec": {"containers": [{"name": "a", "image": "busybox:1.36"}]}}',
    "applied.yaml": WEB.replace("name: web", "name: api").replace("app: web", "app: api"),
    "patch.yaml": "spec:\n  replicas: 4\n",
    "app.conf": "a=1\n# remark\nb=two words\n",
    "dir/one": "first\n",
    "dir/two.txt": "second\nline\n",
    "dir2/a.yaml": CONFIG_MAP.replace("settings", "ina"),
    "dir2/b.yaml": CONFIG_MAP.replace("settings", "inb"),
    "role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: look}\nrules: []\n",
}
STDIN = NEW
