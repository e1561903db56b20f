"""A host on which Docker runs beside the cluster: its containers, networks, projects and events."""
