"""How fast the recorder is, as ratios against a stated floor measured in the same run."""
