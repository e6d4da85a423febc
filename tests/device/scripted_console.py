"""A console with scripted answers, which no real emulator gives on request."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

GREETING = b"Android Console: type 'help' for a list of commands\r\nOK\r\n"
AUTH_REQUIRED = b"Android Console: Authentication required\r\nAndroid Console: type 'auth <auth_token>'\r\nOK\r\n"


@contextmanager
def scripted_console(*answers: bytes, then_hang: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yields the port and the lines received; the first answer is the greeting."""
    listener = socket.create_server(("127.0.0.1", 0))
    received: list[str] = []
    finished = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            for number, answer in enumerate(answers):
                if number:
                    received.append(lines.readline().decode())
                connection.sendall(answer)
            if then_hang:
                finished.wait(30)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1], received
    finally:
        finished.set()
        thread.join()
        listener.close()
