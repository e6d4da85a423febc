"""Implementations of the larger subcommands, one file each."""
