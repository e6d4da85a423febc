"""Access to an Android device: frames, facts and input."""

import os

# gRPC reads these on import; without them it logs connections and forks to the terminal.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
