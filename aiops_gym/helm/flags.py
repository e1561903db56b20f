"""The flags of Helm's commands, as pflag reads them."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag

GLOBAL = (
    Flag("help", "bool", short="h", help="help for the command"),
    Flag("burst-limit", "int", default=100, help="client-side default throttling limit"),
    Flag("debug", "bool", help="enable verbose output"),
    Flag("kube-apiserver", help="the address and the port for the Kubernetes API server"),
    Flag("kube-as-group", "array", help="group to impersonate for the operation"),
    Flag("kube-as-user", help="username to impersonate for the operation"),
    Flag("kube-ca-file", help="the certificate authority file for the Kubernetes API server connection"),
    Flag("kube-context", help="name of the kubeconfig context to use"),
    Flag("kube-insecure-skip-tls-verify", "bool", help="do not check the API server's certificate"),
    Flag("kube-tls-server-name", help="server name to use for Kubernetes API server certificate validation"),
    Flag("kube-token", help="bearer token used for authentication"),
    Flag("kubeconfig", help="path to the kubeconfig file"),
    Flag("namespace", short="n", help="namespace scope for this request"),
    Flag("qps", help="queries per second used when communicating with the Kubernetes API"),
    Flag("registry-config", help="path to the registry config file"),
    Flag("repository-cache", help="path to the directory containing cached repository indexes"),
    Flag("repository-config", help="path to the file containing repository names and URLs"),
)
OUTPUT = (Flag("output", short="o", default="table", help="prints the output in the specified format"),)
REVISION = (Flag("revision", "int", help="get the named release with revision"),)
SETTINGS = (
    Flag("set", "array", help="set values on the command line"),
    Flag("set-string", "array", help="set STRING values on the command line"),
    Flag("set-json", "array", help="set JSON values on the command line"),
    Flag("set-literal", "array", help="set a literal STRING value on the command line"),
    Flag("values", "array", short="f", help="specify values in a YAML file"),
)
RUNNING = (
    Flag("atomic", "bool", help="roll back changes made in case of failure"),
    Flag("cleanup-on-fail", "bool", help="delete new resources when the action fails"),
    Flag("create-namespace", "bool", help="create the release namespace if not present"),
    Flag("dependency-update", "bool", help="update dependencies if they are missing"),
    Flag("description", help="add a custom description"),
    Flag("disable-openapi-validation", "bool", help="do not validate against the OpenAPI schema"),
    Flag("dry-run", bare="client", help="simulate"),
    Flag("force", "bool", help="force resource updates through a replacement strategy"),
    Flag("no-hooks", "bool", help="disable hooks"),
    Flag("recreate-pods", "bool", help="restart pods"),
    Flag("timeout", "duration", default=300.0, help="time to wait for any individual Kubernetes operation"),
    Flag("version", help="specify a version constraint for the chart version to use"),
    Flag("wait", "bool", help="wait until all resources are ready"),
    Flag("wait-for-jobs", "bool", help="wait until all Jobs have been completed"),
)
HISTORY = (Flag("history-max", "int", default=10, help="limit the maximum number of revisions saved per release"),)
UPGRADE = (
    Flag("install", "bool", short="i", help="if a release by this name doesn't already exist, run an install"),
    Flag("reset-then-reuse-values", "bool", help="reset to the chart's values, apply the last release's, merge"),
    Flag("reset-values", "bool", help="reset the values to the ones built into the chart"),
    Flag("reuse-values", "bool", help="reuse the last release's values and merge in any overrides"),
    *HISTORY,
)
UNINSTALL = (
    Flag("cascade", default="background", help="deletion cascading strategy"),
    Flag("ignore-not-found", "bool", help='treat "release not found" as a successful uninstall'),
    Flag("keep-history", "bool", help="remove all resources and mark the release as deleted, but retain its history"),
)
LIST = (
    Flag("all", "bool", short="a", help="show all releases without any filter applied"),
    Flag("all-namespaces", "bool", short="A", help="list releases across all namespaces"),
    Flag("date", "bool", short="d", help="sort by release date"),
    *(
        Flag(name, "bool", help=f"show {name} releases")
        for name in ("deployed", "failed", "pending", "superseded", "uninstalled", "uninstalling")
    ),
    Flag("filter", short="f", help="a regular expression that names must match"),
    Flag("max", "int", short="m", default=256, help="maximum number of releases to fetch"),
    Flag("no-headers", "bool", help="don't print headers when using the default output format"),
    Flag("offset", "int", help="next release index in the list"),
    Flag("reverse", "bool", short="r", help="reverse the sort order"),
    Flag("selector", short="l", help="label query to filter on"),
    Flag("short", "bool", short="q", help="output short (quiet) listing format"),
    Flag("time-format", help="format time using golang time formatter"),
)
