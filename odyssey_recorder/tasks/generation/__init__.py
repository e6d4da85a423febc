"""Which tasks to generate next, and how well the existing ones cover the targets."""
