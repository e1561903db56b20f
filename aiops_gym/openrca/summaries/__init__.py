"""What an on-call person would ask of telemetry first, as pure functions on what was recorded."""
