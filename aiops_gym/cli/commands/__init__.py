"""One command a module: a function `command` whose arguments are the options."""
