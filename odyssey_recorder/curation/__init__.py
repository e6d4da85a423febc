"""What people decide about published episodes: which are retired, which are duplicates, what is redacted."""
