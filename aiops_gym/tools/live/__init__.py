"""The tools of an incident in a cluster: AIOpsLab's names and signatures, one tool a module."""
