"""The emulator's shell: a small sh, and the programs that a recorder or a person runs in it."""
