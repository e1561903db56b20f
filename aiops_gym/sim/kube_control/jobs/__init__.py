"""What the Job controller decides by: its pods, their indexes, and what a failure means."""
