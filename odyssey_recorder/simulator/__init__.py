"""A simulated Android emulator that a real adb server finds, lists and talks to."""
