"""Rules in Prometheus' own YAML, and what they come to: recorded series, alerts, notifications."""
