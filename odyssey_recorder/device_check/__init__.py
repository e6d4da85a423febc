"""A check of a device on the device itself: its probes, and the report of what they found."""
