"""Merges two datasets: planned first, then carried out."""
