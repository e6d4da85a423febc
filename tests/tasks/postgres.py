"""A PostgreSQL server for the tests: in a temporary folder, without password, on localhost only."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from odyssey_recorder.simulated.private_adb_server import free_port
from odyssey_recorder.tasks.queue.database import REVISION, QueueDatabase

_DEBIAN = Path("/usr/lib/postgresql")
_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "260",
    "shared_buffers": "64MB",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
}
_PATIENCE_S = 60.0


class Postgres:
    """A server on a free port."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._databases = 0
        self.port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        words = [
            "--auth=trust",
            "--username=odyssey",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "--no-instructions",
        ]
        subprocess.run([*_unprivileged(), programs / "initdb", *words, folder], check=True, stdout=subprocess.DEVNULL)
        rules = folder / "pg_hba.conf"  # the first match wins
        rules.write_text(f"host all guarded 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")

    def url(self, database: str) -> str:
        return f"postgresql://odyssey@127.0.0.1:{self.port}/{database}"

    def new_database(self, template: str = "template1") -> str:
        self._databases += 1
        name = f"queue_{self._databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def start(self) -> None:
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        log = (self._folder / "server.log").open("ab")
        with log:
            self._server = subprocess.Popen(
                [*_unprivileged(), self._programs / "postgres", "-D", self._folder, "-p", str(self.port), *settings],
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > until:
                    raise AssertionError((self._folder / "server.log").read_text()) from None
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it immediately, like a power cut."""
        if self._server is not None:
            self._server.send_signal(3)  # SIGQUIT
            self._server.wait(_PATIENCE_S)
            self._server = None


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server in a new folder; skips the test if PostgreSQL is not installed, except in CI."""
    programs = find_programs()
    if programs is None:
        words = "PostgreSQL is not installed: run sh scripts/system_packages.sh --for-tests"
        if "CI" in os.environ:
            pytest.fail(words)
        pytest.skip(words)
    with tempfile.TemporaryDirectory(prefix="odyssey-postgres-") as name:  # not a folder that only root can read
        if os.getuid() == 0:
            shutil.chown(name, *_NOBODY)
        server = Postgres(Path(name), programs)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def find_programs() -> Path | None:
    """The folder of the server's programs: Debian's newest, or one in the PATH."""
    found = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parents[1].name))
    if found:
        return found[-1].parent
    named = shutil.which("initdb")
    return None if named is None else Path(named).resolve().parent


_NOBODY = ("nobody", "nogroup")


def _unprivileged() -> list[str | Path]:
    """The server refuses to be run by root."""
    if os.getuid():
        return []
    return ["setpriv", f"--reuid={_NOBODY[0]}", f"--regid={_NOBODY[1]}", "--clear-groups", "--"]


# Fixtures.


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_database(postgres: Postgres) -> str:
    name = postgres.new_database()
    database = QueueDatabase(postgres.url(name))
    with database.reading():
        pass
    database.close()
    return name


@pytest.fixture(scope="session")
def emptied_database(postgres: Postgres, migrated_database: str) -> Callable[[], str]:
    url = postgres.url(postgres.new_database(migrated_database))

    def empty() -> str:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("TRUNCATE tasks, events, notes RESTART IDENTITY")
            connection.execute("UPDATE alembic_version SET version_num = %s", [REVISION])
        return url

    return empty
