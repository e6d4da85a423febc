"""Statistics on how far the verdicts of reviewers can be trusted."""
