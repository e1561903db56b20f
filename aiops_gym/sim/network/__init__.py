"""The cluster's network: where names and addresses lead, and which connections pass."""
