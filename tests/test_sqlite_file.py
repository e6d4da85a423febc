import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.sqlite_file import FilePolicy, SqliteFile

NOTES = FilePolicy(
    lambda database: database.execute("CREATE TABLE IF NOT EXISTS notes (text TEXT)"),
    moved="Moved to {aside}: {error}.",
    unusable="{path} is unusable: {error}.",
)
PRECIOUS = replace(NOTES, is_precious=True)
POLICIES = pytest.mark.parametrize("policy", [NOTES, PRECIOUS], ids=["plain", "precious"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "{folder}" / "notes.sqlite"  # a name that a message must not take for a place


def write(file: SqliteFile, text: str) -> None:
    with file.writing() as database:
        database.execute("INSERT INTO notes VALUES (?)", (text,))


def notes(file: SqliteFile) -> list[str]:
    return [text for (text,) in file.rows("SELECT text FROM notes", ())]


@pytest.fixture
def kept(path: Path) -> Path:
    with closing(SqliteFile(path, NOTES)) as file:
        write(file, "kept")
    return path


def is_kept(path: Path) -> bool:
    with closing(SqliteFile(path, NOTES)) as file:
        return notes(file) == ["kept"] and not list(path.parent.glob("*.broken")) + list(path.parent.glob("*.aside*"))


@POLICIES
def test_file_is_made_when_first_used_and_found_again(path: Path, policy: FilePolicy) -> None:
    file = SqliteFile(path, policy)
    assert not path.parent.exists()
    write(file, "one")
    with closing(SqliteFile(path, policy)) as other:
        assert (notes(other), other.problem, other.path) == (["one"], "", path)
    file.close()


def test_failed_transaction_leaves_nothing(kept: Path) -> None:
    with closing(SqliteFile(kept, NOTES)) as file:
        with suppress(KeyError), file.writing() as database:
            database.execute("INSERT INTO notes VALUES ('lost')")
            raise KeyError
        assert notes(file) == ["kept"]


def test_broken_file_is_moved_over_an_earlier_one(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"no database" * 100, b"nor this one" * 100):
        path.write_bytes(content)
        with closing(SqliteFile(path, NOTES)) as file:
            write(file, "new")
            aside = path.with_name("notes.sqlite.broken")
            assert file.problem == f"Moved to {aside}: file is not a database."
            assert aside.read_bytes() == content


def test_broken_precious_files_are_all_kept(path: Path) -> None:
    path.parent.mkdir()
    for number in (1, 2):
        content = b"no database %d" % number * 100
        path.write_bytes(content)
        with closing(SqliteFile(path, PRECIOUS)) as file:
            assert notes(file) == []
            assert f"notes.sqlite.aside-{number}: " in file.problem
        assert path.with_name(f"notes.sqlite.aside-{number}").read_bytes() == content


def test_file_of_somebody_else_is_moved_unchanged(path: Path) -> None:
    def refuse(database: sqlite3.Connection) -> None:
        if database.execute("PRAGMA user_version").fetchone() != (0,):
            database.execute("not ours")

    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    with closing(SqliteFile(path, replace(PRECIOUS, refuse=refuse))) as file:
        assert notes(file) == []
    assert path.with_name("notes.sqlite.aside-1").read_bytes() == before


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def without_its_log(path: Path) -> Iterator[None]:
    path.with_name(f"{path.name}-wal").mkdir()
    yield
    path.with_name(f"{path.name}-wal").rmdir()


@contextmanager
def without_its_folder(path: Path) -> Iterator[None]:
    folder = path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.write_text("a file where the folder must be")
    yield
    path.parent.unlink()
    folder.rename(path.parent)


@POLICIES
@pytest.mark.parametrize("trouble", [locked, without_its_log, without_its_folder])
def test_whole_file_that_cannot_be_opened_stays(
    kept: Path, policy: FilePolicy, trouble: Callable[[Path], AbstractContextManager[None]]
) -> None:
    with trouble(kept), closing(SqliteFile(kept, policy, wait_s=0.01)) as file:
        write(file, "in memory")
        assert notes(file) == ["in memory"]
        assert (file.problem.split(":")[0], file.path) == (f"{kept} is unusable", None)
    assert is_kept(kept)


@POLICIES
def test_file_on_a_full_disk_stays(kept: Path, policy: FilePolicy) -> None:
    with closing(SqliteFile(kept, policy)) as file:
        with file.reading() as database:
            database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError, match="full") as caught:
            write(file, "long" * 10_000)
        file.start_over(caught.value)
        write(file, "in memory")
        assert "database or disk is full" in file.problem
    assert is_kept(kept)


def test_damage_found_later_is_repaired_unless_the_file_is_precious(kept: Path) -> None:
    with closing(SqliteFile(kept, PRECIOUS)) as precious, closing(SqliteFile(kept, NOTES)) as plain:
        assert notes(precious) == notes(plain) == ["kept"]
        with plain.writing() as database:
            database.execute("DROP TABLE notes")
        assert (notes(precious), precious.path) == ([], None)
        assert "no such table" in precious.problem
        assert (notes(plain), plain.path) == ([], kept)
        assert plain.problem == f"Moved to {kept}.broken: no such table: notes."
    with closing(SqliteFile(kept, NOTES)) as file:
        assert (notes(file), file.problem) == ([], "")


def test_reader_neither_creates_nor_repairs(path: Path) -> None:
    with closing(SqliteFile(path, NOTES, is_reader=True)) as reader:
        assert notes(reader) == []
    assert not path.parent.exists()
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    with closing(SqliteFile(path, NOTES, is_reader=True)) as reader:
        assert notes(reader) == []
        assert "not a database" in reader.problem
    assert [found.name for found in path.parent.iterdir()] == ["notes.sqlite"]


def test_reader_sees_what_is_written_and_cannot_write(kept: Path) -> None:
    with closing(SqliteFile(kept, NOTES)) as writer, closing(SqliteFile(kept, NOTES, is_reader=True)) as reader:
        assert notes(reader) == ["kept"]
        write(writer, "more")
        assert notes(reader) == ["kept", "more"]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            write(reader, "lost")


def test_error_in_memory_is_raised() -> None:
    with closing(SqliteFile(None, NOTES)) as file, pytest.raises(sqlite3.OperationalError, match="no such table"):
        file.rows("SELECT 1 FROM others", ())
