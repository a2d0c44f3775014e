"""Corpora in files, in common formats and in one of this package."""
