"""Latent Dirichlet allocation, tempered."""
