"""What runs in containers: programs by kind, and the servers and configuration files that they are made of."""
