"""Models learned by truncated variational sampling."""
