"""How fast and how light: measured by a command, never in a test. `python -m benchmarks page`."""
