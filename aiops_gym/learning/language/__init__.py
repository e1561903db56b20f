"""A language model learns to answer incidents: warm-up on exported episodes, then GRPO, with exams before and after.

The only room that imports TRL and transformers, and only inside of what learns or plays.
"""
