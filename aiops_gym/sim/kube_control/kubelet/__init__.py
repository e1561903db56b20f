"""The kubelet: makes pods that are bound to a node run there, keeps them running, and says how they are."""
