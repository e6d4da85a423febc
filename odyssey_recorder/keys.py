"""Where the language model's API key is stored: the system's keyring or the environment, never a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pydantic import SecretStr

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.logs import hide

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

VARIABLE = "ODYSSEY_API_KEY"

_SERVICE = "odyssey-recorder"
_ENTRY = "language model"
_RECOMMENDED = 1
"""The lowest priority that the keyring library calls safe; backends below it use plain files."""


class KeyPlace(Enum):
    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Where the key is, never the key itself. `trouble` says why the keyring could not be read."""

    place: KeyPlace
    keyring: str = ""
    trouble: str = ""


def find_key() -> SecretStr | None:
    """The environment comes before the keyring. Blocks; may ask the user to unlock. Raises SettingsError."""
    secret = os.environ.get(VARIABLE, "").strip() or _from_keyring()
    hide(secret)
    return SecretStr(secret) if secret else None


def key_status() -> KeyStatus:
    backend = _keyring()
    name = "" if backend is None else str(backend.name)
    if os.environ.get(VARIABLE, "").strip():
        return KeyStatus(KeyPlace.ENVIRONMENT, name)
    try:
        return KeyStatus(KeyPlace.KEYRING if _from_keyring() else KeyPlace.NOWHERE, name)
    except SettingsError as error:
        return KeyStatus(KeyPlace.NOWHERE, name, str(error))


def store_key(key: SecretStr) -> None:
    """Blocks as `find_key` does. Raises SettingsError."""
    secret = key.get_secret_value().strip()
    hide(secret)
    backend = _keyring()
    if backend is None:
        raise SettingsError(f"This computer has no secure keyring. Set the environment variable {VARIABLE} to the key.")
    with _keyring_errors("store the key"):
        backend.set_password(_SERVICE, _ENTRY, secret)


def forget_key() -> None:
    """Blocks as `find_key` does. Raises SettingsError."""
    backend = _keyring()
    if backend is not None and _from_keyring():
        with _keyring_errors("delete the key"):
            backend.delete_password(_SERVICE, _ENTRY)


def _from_keyring() -> str:
    backend = _keyring()
    if backend is None:
        return ""
    with _keyring_errors("read the key"):
        return backend.get_password(_SERVICE, _ENTRY) or ""


def _keyring() -> "KeyringBackend | None":
    """None if there is no safe keyring, or the package is not installed."""
    try:
        import keyring
    except ModuleNotFoundError:
        return None
    backend = keyring.get_keyring()
    return backend if backend.priority >= _RECOMMENDED else None


@contextmanager
def _keyring_errors(task: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - each keyring raises its own errors
        raise SettingsError(
            f"The system keyring could not {task} ({type(error).__name__}). Unlock it and try again, or set {VARIABLE}."
        ) from None  # its message may contain the key
