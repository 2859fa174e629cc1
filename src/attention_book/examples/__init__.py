"""Examples that serve one page: small enough for a pencil, or wrong on purpose."""
