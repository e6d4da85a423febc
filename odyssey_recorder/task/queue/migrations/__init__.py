"""How a queue that an older program made becomes what this one needs; one file in `versions` for each change."""
