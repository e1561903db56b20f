"""How the scheduler decides: filters, affinity and spread, preemption."""
