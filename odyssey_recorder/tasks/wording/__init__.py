"""Rewrites tasks as instructions and checks that they still mean the same."""
