"""A simulated Android emulator that a real adb server finds, lists and talks to."""

import os

__version__ = "0.1.0"

# Read by gRPC on import; without it, gRPC logs connections and forks to the terminal.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
