"""Simulated emulators that the recorder starts, in processes of their own."""
