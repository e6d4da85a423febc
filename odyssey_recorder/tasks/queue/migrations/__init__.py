"""Migrations of queues from older programs; one file in `versions` for each change."""
