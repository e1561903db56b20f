"""PromQL: Prometheus' query language, evaluated over whatever offers series; knows nothing of the cluster."""
