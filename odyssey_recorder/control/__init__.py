"""Observes a device and acts on it, for replay."""
