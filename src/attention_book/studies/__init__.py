"""What one page measures there and then: drawn, counted or computed with the package, and tested."""
