"""How a HorizontalPodAutoscaler decides: what it measures, how far and how fast it may go, what it reports."""
