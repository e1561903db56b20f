"""Prometheus' HTTP API, version 1."""
