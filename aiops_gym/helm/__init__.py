"""Helm 3.17: charts, releases kept as Secrets, and the changes between two revisions, over the Kubernetes API alone."""
