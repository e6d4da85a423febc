"""Observing a device and acting on it: for replay, and for whatever else decides by what the screen shows."""
