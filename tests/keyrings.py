from collections.abc import Callable

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError, PasswordSetError

UseKeyring = Callable[[KeyringBackend], None]


class MemoryKeyring(KeyringBackend):
    priority = 5.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class PlainFileKeyring(MemoryKeyring):
    priority = 0.5


class LeakingKeyring(MemoryKeyring):
    """Refuses everything, with the key in its message."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError(f"cannot store {password}")

    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError(f"cannot delete {self.entries}")


class LockedKeyring(MemoryKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("Failed to unlock the collection!")
