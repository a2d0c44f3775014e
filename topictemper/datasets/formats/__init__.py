"""Corpora in files, of the field's formats and of our own."""
