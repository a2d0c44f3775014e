"""The version of the package. `pyproject.toml` has it from here, not the package from there.

What an installer writes about a package is left out of many archives and images.
"""

VERSION = "0.1.0"
