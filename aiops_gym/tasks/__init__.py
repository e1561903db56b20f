"""What is asked, and what an answer is worth: one task a module, see `base`."""
