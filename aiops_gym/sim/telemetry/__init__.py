"""What was measured: logs, metrics and traces, each worked out from the timeline when somebody asks for it."""
