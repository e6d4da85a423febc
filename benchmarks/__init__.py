"""Measures the recorder's speed, as ratios to a stated floor from the same run."""
