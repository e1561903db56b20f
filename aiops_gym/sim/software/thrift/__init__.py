"""What the C++ services share: how they read their configuration, and how they end when they cannot."""
