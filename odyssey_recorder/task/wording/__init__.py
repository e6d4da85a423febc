"""How tasks become the words of a person, and who finds that these still ask for the same."""
