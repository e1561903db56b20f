"""What can be made: the environments behind the registered ids."""
