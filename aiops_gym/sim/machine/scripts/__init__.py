"""Shell scripts run on virtual time: parsed into data, and walked by tasks whose state is data too.

What a task does takes no time but for `sleep` and its like, so that a script can be stopped and gone on with after any
snapshot; see `machine`.
"""
