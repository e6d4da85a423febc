"""Agents: what a model is asked for a step, and the action in its answer."""
