"""Pictures of what the square roots of a Transformer do: to scores, to weights, to derivatives, to words."""
