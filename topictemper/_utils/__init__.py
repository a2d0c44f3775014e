"""What every part of the package may use; it knows no model."""
