"""The simulated emulator's own window, used like the real one."""
