"""The services of the shop, one a file: attribute `service`."""
