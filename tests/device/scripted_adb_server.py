"""An adb server with scripted answers, which no real device gives on request."""

import socket
import struct
import threading
from collections.abc import Mapping

OKAY = b"OKAY"
HANG = b"<hang>"
"""An answer that ends with this keeps the connection open until the server stops."""


def fail(message: str) -> bytes:
    return b"FAIL%04x" % len(message) + message.encode()


def block(text: str) -> bytes:
    return OKAY + b"%04x" % len(text) + text.encode()


def shell(command: str) -> str:
    return f"shell,v2,TERM=dumb,raw:{command}"


def printed(output: bytes, *, errors: bytes = b"", exit_code: int = 0) -> bytes:
    return (
        OKAY
        + struct.pack("<BI", 2, len(errors))
        + errors
        + struct.pack("<BI", 1, len(output))
        + output
        + struct.pack("<BIB", 3, 1, exit_code)
    )


class ScriptedAdbServer:
    """Answers each request with the bytes in `answers`, and closes the connection.

    A key that ends with `*` matches every request with that prefix. Other requests are refused, except a transport
    to any device. `requests` lists the requests received.
    """

    def __init__(self, answers: Mapping[str, bytes], *, port: int = 0) -> None:
        self.requests: list[str] = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]

    def __enter__(self) -> "ScriptedAdbServer":
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        with socket.create_connection(("127.0.0.1", self.port)):
            pass
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._stopped.is_set():
                connection.close()
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as received:
            while length := received.read(4):
                request = received.read(int(length, 16)).decode()
                self.requests.append(request)
                answer = self._answer(request)
                if answer is None and request.startswith("host:tport:"):
                    connection.sendall(OKAY + bytes(8))
                    continue
                answer = answer or fail(f"unknown host service '{request}'")
                connection.sendall(answer.removesuffix(HANG))
                if answer.endswith(HANG):
                    self._stopped.wait()
                return

    def _answer(self, request: str) -> bytes | None:
        prefixes = (key for key in self._answers if key.endswith("*") and request.startswith(key[:-1]))
        key = request if request in self._answers else next(prefixes, request)
        return self._answers.get(key)
