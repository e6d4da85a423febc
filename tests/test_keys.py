import logging
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from pydantic import SecretStr

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.keys import VARIABLE, KeyPlace, KeyStatus, find_key, forget_key, key_status, store_key
from odyssey_recorder.logs import logging_to
from tests.keyrings import LeakingKeyring, LockedKeyring, MemoryKeyring, PlainFileKeyring, UseKeyring

KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def use_keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[UseKeyring]:
    monkeypatch.delenv(VARIABLE, raising=False)
    keyring.set_keyring(MemoryKeyring())
    yield keyring.set_keyring
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]


def stored_key() -> str | None:
    key = find_key()
    return None if key is None else key.get_secret_value()


def test_stored_key_is_found_until_forgotten() -> None:
    assert (stored_key(), key_status().place) == (None, KeyPlace.NOWHERE)
    store_key(SecretStr(f" {KEY}\n"))
    assert KEY not in f"{find_key()!r} {find_key()} {key_status()!r}"
    assert (stored_key(), key_status().place) == (KEY, KeyPlace.KEYRING)
    forget_key()
    assert (stored_key(), key_status().place) == (None, KeyPlace.NOWHERE)
    forget_key()  # twice is not an error


def test_environment_overrides_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    store_key(SecretStr("of the keyring"))
    monkeypatch.setenv(VARIABLE, KEY)
    assert (stored_key(), key_status().place) == (KEY, KeyPlace.ENVIRONMENT)
    monkeypatch.setenv(VARIABLE, "")
    assert (stored_key(), key_status().place) == ("of the keyring", KeyPlace.KEYRING)


@pytest.mark.parametrize("unsafe", [fail.Keyring, PlainFileKeyring])
def test_unsafe_keyring_is_rejected_in_favour_of_the_variable(
    use_keyring: UseKeyring, unsafe: type[KeyringBackend]
) -> None:
    use_keyring(unsafe())
    assert key_status() == KeyStatus(KeyPlace.NOWHERE)
    assert stored_key() is None
    with pytest.raises(SettingsError, match=r"no secure keyring\. Set the environment variable ODYSSEY_API_KEY"):
        store_key(SecretStr(KEY))
    forget_key()


def test_missing_keyring_package_means_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_status() == KeyStatus(KeyPlace.NOWHERE)
    forget_key()


def test_locked_keyring_is_reported(use_keyring: UseKeyring) -> None:
    use_keyring(LockedKeyring())
    status = key_status()
    assert (status.place, "KeyringLocked" in status.trouble) == (KeyPlace.NOWHERE, True)
    with pytest.raises(SettingsError, match="Unlock it and try again, or set ODYSSEY_API_KEY"):
        find_key()


def test_key_is_not_in_error_messages(use_keyring: UseKeyring) -> None:
    talkative = LeakingKeyring()
    use_keyring(talkative)
    with pytest.raises(SettingsError) as refused:
        store_key(SecretStr(KEY))
    assert KEY not in "".join(traceback.format_exception(refused.value))
    talkative.entries["odyssey-recorder", "language model"] = KEY
    with pytest.raises(SettingsError) as failure:
        forget_key()
    assert KEY not in "".join(traceback.format_exception(failure.value))


def test_key_is_not_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_key(SecretStr("sk-stored-0123456789"))
    monkeypatch.setenv(VARIABLE, "sk-found-0123456789")
    assert stored_key()
    with logging_to(tmp_path / "a.log", "DEBUG"):
        logging.getLogger("somebody").info("refused: %s", ("sk-stored-0123456789", "sk-found-0123456789"))
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    assert "refused" in text
    assert "0123456789" not in text
