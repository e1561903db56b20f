"""PromQL: what is asked of time series, and what they answer."""
