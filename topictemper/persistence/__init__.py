"""Fitted estimators in files."""
