"""How an Android device is reached: its frames, its facts and the input put into it."""

import os

# gRPC reads it when it is imported, and would otherwise tell the terminal of every connection that ends.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
