"""Upstream's pod kill: since December 2025 it makes the pod fail, as `pod_failure` does, and does not delete it."""

from dataclasses import replace

from aiops_gym.catalog.faults import pod_failure

fault = replace(pod_failure.fault, id="pod_kill", targets=())
