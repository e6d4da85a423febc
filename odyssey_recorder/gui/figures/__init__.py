"""Figures drawn in the window, and as image files."""
