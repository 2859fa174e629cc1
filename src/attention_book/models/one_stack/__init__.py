"""Models of one stack: what is left of the Transformer when the encoder, or the decoder, is thrown away."""
