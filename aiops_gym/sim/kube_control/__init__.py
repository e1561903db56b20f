"""What keeps a cluster as its objects ask for: the controllers, the scheduler and the kubelets."""
