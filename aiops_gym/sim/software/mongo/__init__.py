"""A MongoDB 4.4 server in memory: users and roles, collections, commands with the real errors, a JavaScript shell."""
