"""How far the verdicts of reviewers can be trusted, in figures."""
