"""Benchmarks for asv: time and peak memory of the package at different commits."""
