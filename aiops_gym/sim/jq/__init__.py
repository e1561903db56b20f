"""The language of jq, evaluated over values by counted operations."""
