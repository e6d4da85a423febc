"""The simulated emulator's own window, in which a person works as in the real one."""
