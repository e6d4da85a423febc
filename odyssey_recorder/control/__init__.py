"""Observes a device and acts on it, for replay and other policies that follow the screen."""
