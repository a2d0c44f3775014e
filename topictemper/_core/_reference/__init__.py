"""Every kernel once more, in plain NumPy; the tests compare the two."""
