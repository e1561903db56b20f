"""How volumes come about."""
