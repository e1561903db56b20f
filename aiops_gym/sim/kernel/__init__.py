"""What every world stands on: clock, chance, objects, the store that holds them, and the state as plain data."""
