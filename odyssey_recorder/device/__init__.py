"""How an Android device is reached: its frames, its facts and the input put into it."""

import os

# gRPC reads them when it is imported, and would otherwise tell the terminal of connections, and of programs started.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
