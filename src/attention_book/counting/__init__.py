"""Translation before networks: count words in contexts, count words beside words, and combine the two.

`ngrams` and `log_linear` say how likely a sentence is, `ibm1` which word translates which, and `noisy_channel` joins a
language model and a translation model into a translator.
"""
