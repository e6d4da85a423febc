"""The Dataset page: the published episodes, as they come and go."""
