"""Topics of texts: counting words, the model with its words, tables."""
