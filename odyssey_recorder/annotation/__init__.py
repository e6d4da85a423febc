"""Texts and boxes of steps: who wrote them, and whether what was recorded supports them."""
