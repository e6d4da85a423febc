"""The simulated phone's command line: a small sh, and the programs that a recorder or a person runs in it."""
