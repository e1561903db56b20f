"""The verbs of kubectl, one a file; see the package above for how to add one."""
