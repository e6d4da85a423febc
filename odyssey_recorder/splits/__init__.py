"""Train and test splits: drawn, written, and checked for leaks."""
