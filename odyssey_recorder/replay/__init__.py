"""Carries a recorded episode out again and compares its screens with the recorded ones."""
