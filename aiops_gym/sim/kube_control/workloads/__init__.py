"""What the control loops of workloads share: questions about pods, how pods are made, revisions, conditions."""
