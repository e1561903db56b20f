"""Small commands that any image with a shell has, one a file; `TOOLS` of each names what it provides."""
