"""Widgets without knowledge of a page."""
