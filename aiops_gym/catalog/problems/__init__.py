"""Problems: one app a file, each with an attribute `incidents`."""
