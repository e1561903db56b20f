"""The verbs of docker, in files by what they do; the folder is the registry."""
