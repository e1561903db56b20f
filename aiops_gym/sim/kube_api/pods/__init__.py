"""Pods and pod templates: their defaults, rules, class of service, and how `kubectl get` sums them up."""
