"""nginx with scripts inside: what its configuration says, and the pages that it makes itself."""
