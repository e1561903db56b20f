"""The simulated world, in rooms; each knows only those that `setup.cfg` has below it."""
