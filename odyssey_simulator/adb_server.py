"""Telling an adb server of an emulator that it has not found by itself."""

import socket

_ASK_TIMEOUT_S = 5.0


def announce(server_port: int, adb_port: int) -> bool:
    """False if no server listens on `server_port`."""
    message = f"host:emulator:{adb_port}".encode()
    try:
        with socket.create_connection(("127.0.0.1", server_port), timeout=_ASK_TIMEOUT_S) as server:
            server.sendall(b"%04x" % len(message) + message)
            server.recv(1)
    except OSError:
        return False
    return True
