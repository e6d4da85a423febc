"""Releases of a dataset: what each holds by hash, and how it differs from the one before."""
