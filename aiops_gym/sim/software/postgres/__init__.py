"""PostgreSQL 17: its settings, what its tables hold, and `psql`."""
