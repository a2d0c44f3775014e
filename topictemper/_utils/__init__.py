"""Helpers that every part of the package may use. They know no model and no kernel."""
