"""Which tasks wait, who has which, and what became of them: in a file, or in a database that a team shares."""
