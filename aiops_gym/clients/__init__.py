"""What the command-line clients (kubectl, helm) share: where a command runs, and how Go reads and prints."""
