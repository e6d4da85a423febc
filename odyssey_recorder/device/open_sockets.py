"""The sockets that running calls wait on, so that another thread can interrupt them."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class OpenSockets:
    """After `close`, every `using` raises EOFError, and sockets in use are shut down."""

    def __init__(self) -> None:
        self.closed = threading.Event()
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()

    @contextmanager
    def using(self, sock: socket.socket) -> Iterator[None]:
        with self._lock:
            if self.closed.is_set():
                raise EOFError("it was closed")
            self._sockets.add(sock)
        try:
            yield
        finally:
            with self._lock:
                self._sockets.remove(sock)

    def close(self) -> None:
        with self._lock:
            self.closed.set()
            for sock in self._sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
