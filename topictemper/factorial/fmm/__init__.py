"""The factorial mixture model."""
