"""The Dataset page: the published episodes."""
