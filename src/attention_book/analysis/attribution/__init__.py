"""What an output depends on: states exchanged, gradients of the inputs, words left out."""
