"""The settings: flags override the environment, which overrides settings.toml and the defaults."""

import getpass
import os
import shutil
import threading
import tomllib
from collections.abc import Callable, Collection, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from odyssey_recorder.dataset.layout import EPISODE_FOLDERS
from odyssey_recorder.errors import DatasetError, SettingsError
from odyssey_recorder.files import Largest, expect_writable, make_folder, read_text, write_durably
from odyssey_recorder.validation import ClosedModel, first_fault

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

APP = "odyssey-recorder"

_ENVIRONMENT = {"adb_server_port": "ANDROID_ADB_SERVER_PORT"}


def _file(folder: Callable[[str], Path], name: str) -> Callable[[], Path]:
    return lambda: folder(APP) / name


settings_file = _file(platformdirs.user_config_path, "settings.toml")
shortcuts_file = _file(platformdirs.user_config_path, "shortcuts.json")
filters_file = _file(platformdirs.user_config_path, "filters.json")
prices_file = _file(platformdirs.user_config_path, "prices.toml")
window_state_file = _file(platformdirs.user_state_path, "window.json")
agent_file = _file(platformdirs.user_state_path, "agent.json")
sheets_file = _file(platformdirs.user_state_path, "reviews.json")
checks_file = _file(platformdirs.user_cache_path, "checks.sqlite")
index_folder = _file(platformdirs.user_cache_path, "index")
answers_file = _file(platformdirs.user_data_path, "answers.sqlite")
log_file = _file(platformdirs.user_log_path, "odyssey-recorder.log")


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError) as error:
        raise SettingsError("Your user name is unknown. Set ODYSSEY_ANNOTATOR to your name.") from error


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
    except ValueError:
        is_valid = False
    if url and not is_valid:
        raise ValueError("an address starts with https:// and a host name")
    return url


def _checked_queue(url: str) -> str:
    """The scheme may name an SQLAlchemy driver."""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme.partition("+")[0] in ("postgresql", "postgres") and bool(parts.path.strip("/"))
    except ValueError:
        is_valid = False
    if url and not is_valid:
        raise ValueError("a queue address looks like postgresql://annotator@computer/odyssey")
    if url and parts.password:
        raise ValueError("do not put the password in the address; use ~/.pgpass or the environment variable PGPASSWORD")
    return url


def _usable_path(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("a path cannot contain a NUL character")
    return Path(os.path.expanduser(path))  # noqa: PTH111 - never raises


_Folder = Annotated[Path, AfterValidator(_usable_path)]


Role = Literal["", "annotator", "reviewer", "lead"]
"""What a person does; empty if not said, which shows what a lead sees."""


class Settings(ClosedModel):
    """All settings; each is also an environment variable: ``dataset`` is ``ODYSSEY_DATASET``.

    If `adb` is empty, the adb on the PATH is used, or else the bundled one. `adb_server_port` is
    ``ANDROID_ADB_SERVER_PORT`` in the environment, as for adb itself. `capture` chooses how frames are captured:
    "auto" prefers the emulator's gRPC service. With `shared_memory` the emulator passes the frames of its stream
    through shared memory: cheaper, but a frame may be from a slightly later moment. `view_trees` reads and stores
    the view hierarchy of every settled screen. `tasks` is a file with a list of tasks. `start` is the start state of
    tasks that do not specify one. `step_snapshots` "auto" keeps a snapshot before each step if the first one took at
    most a second. `practice_tasks` is the number to pass before the queue opens. `queue` is the address of a team's
    database, without a password; empty means a file on this computer. `templates` is a folder with the user's own
    templates. `name_apps` makes instructions name the apps to use. `animations` leaves animations on when devices
    are prepared. `outlines` outlines the view under the pointer while recording, `sounds` beeps. `model_url` empty
    means the provider's own address. The API key is not a setting: it is never in a file.
    """

    dataset: _Folder = Field(default_factory=lambda: platformdirs.user_documents_path() / "GUI-Odyssey")
    drafts: _Folder = Field(default_factory=lambda: platformdirs.user_data_path(APP) / "drafts")
    tasks: _Folder | None = None
    annotator: str = Field(default_factory=_user_name)
    role: Role = ""
    practice_tasks: int = Field(default=10, ge=0)
    queue: Annotated[str, AfterValidator(_checked_queue)] = ""
    templates: _Folder | None = None
    name_apps: bool = True
    start: Literal["as found", "clean home"] = "as found"
    step_snapshots: Literal["auto", "always", "never"] = "auto"
    adb: str = ""
    capture: Literal["auto", "adb", "grpc"] = "auto"
    shared_memory: bool = False
    view_trees: bool = True
    animations: bool = False
    model: str = ""
    model_url: Annotated[str, AfterValidator(_checked_url)] = ""
    theme: Literal["system", "light", "dark"] = "system"
    text_size: Literal["small", "normal", "large", "extra large"] = "normal"
    outlines: bool = True
    sounds: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    adb_server_port: int = Field(default=5037, ge=1, le=65535)


def read_settings(**flags: Any) -> Settings:
    """Ignores `flags` that are None. Raises SettingsError naming the faulty setting and its origin."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**{**_in_file(), **_in_environment(), **given})
    except ValidationError as error:
        raise _settings_error(error, given) from error
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{settings_file()} cannot be read: {error}. Fix it, or move it away.") from error


_WRITING = threading.Lock()
"""Held while the file is read, changed and written: a process has several stores."""


class SettingsStore:
    """The settings of one run of the program, with `flags` as for `read_settings`. Calls raise SettingsError."""

    def __init__(self, **flags: Any) -> None:
        self._flags = {name: value for name, value in flags.items() if value is not None}

    def read(self) -> Settings:
        return read_settings(**self._flags)

    def overrides(self) -> dict[str, str]:
        """Settings that the file cannot change in this run, each with the flag or variable that overrides it."""
        return {name: _variable(name) for name in _in_environment()} | {name: _flag(name) for name in self._flags}

    def check(self, name: str, value: object) -> str:
        """A warning, or an empty text; None is the default. Accesses the disk."""
        if value is None:
            return ""
        checked = _checked(name, value)
        match name:
            case "dataset" | "drafts":
                return _check_folder(Path(checked))
            case "tasks" if not Path(checked).is_file():
                raise SettingsError("File not found.")
            case "templates" if not Path(checked).is_dir():
                raise SettingsError("Folder not found.")
            case "adb" if checked and shutil.which(os.path.expanduser(checked)) is None:  # noqa: PTH111 - may be a name
                raise SettingsError("Program not found.")
            case "model_url":
                return _check_address(str(checked))
            case _:
                return ""

    def save(self, changes: Mapping[str, object]) -> Settings:
        """None is the default. The rest of the file is kept; on an error nothing is written."""
        with _WRITING:
            file = settings_file().resolve()  # it may be a link into a folder that is managed elsewhere
            document = _document(file)
            for name, value in changes.items():
                document.pop(name, None) if _is_default(name, value) else document.update({name: _plain(value)})
            try:
                Settings(**document.unwrap())
            except ValidationError as error:
                raise _settings_error(error, ()) from error
            try:
                make_folder(file.parent)
                write_durably(file, document.as_string().encode())
            except DatasetError as error:
                raise SettingsError(f"The settings were not saved. {error}") from error
        return self.read()


def _in_file() -> dict[str, Any]:
    file = settings_file()
    return tomllib.loads(read_text(file, Largest.WRITTEN_BY_HAND)) if file.exists() else {}


def _in_environment() -> dict[str, str]:
    """An empty variable counts as unset."""
    values = {variable.upper(): value for variable, value in os.environ.items() if value}
    return {name: values[_variable(name)] for name in Settings.model_fields if _variable(name) in values}


def _document(file: Path) -> "TOMLDocument":
    import tomlkit  # most runs save nothing
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(read_text(file, Largest.WRITTEN_BY_HAND) if file.exists() else "")
    except (OSError, ValueError, RecursionError, TOMLKitError) as error:
        raise SettingsError(
            f"{file} cannot be read, so nothing was saved: {error}. Fix it, or move it away."
        ) from error


def _is_default(name: str, value: object) -> bool:
    field = Settings.model_fields[name]
    return value is None or _checked(name, value) == field.get_default(call_default_factory=True)


def _checked(name: str, value: object) -> Any:
    field = Settings.model_fields[name]
    kind: Any = Annotated[field.annotation, name, *field.metadata]
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise SettingsError(f"{first_fault(error).message.capitalize()}.") from error


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


_SPACE_FOR_EPISODES = 2 * 1024**3


def _check_folder(folder: Path) -> str:
    if not folder.is_absolute():
        raise SettingsError("Enter the full path.")
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        for path in (existing, *(folder / name for name in EPISODE_FOLDERS if (folder / name).is_dir())):
            expect_writable(path)
        free = shutil.disk_usage(existing).free
    except DatasetError as error:
        raise SettingsError(str(error)) from error
    except OSError as error:
        raise SettingsError(f"{existing} cannot be read: {error.strerror}.") from error
    if free < _SPACE_FOR_EPISODES:
        return f"Only {free / 1024**3:.1f} GiB are free there; an episode takes about 20 MB."
    return "" if folder.exists() else "The folder does not exist yet. It is created when needed."


def _check_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname is None or _is_this_computer(parts.hostname):
        return ""
    return "With http, anyone on the network can read the key. Use https."


def _is_this_computer(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _variable(name: str) -> str:
    return _ENVIRONMENT.get(name, f"ODYSSEY_{name.upper()}")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _settings_error(error: ValidationError, flags: Collection[str]) -> SettingsError:
    fault = first_fault(error)
    return SettingsError(f"{_origin(str(fault.place[0]), flags)}: {_message(fault.type, fault.message)}.")


def _origin(name: str, flags: Collection[str]) -> str:
    if name in flags:
        return _flag(name)
    if name in _in_environment():
        return f"The environment variable {_variable(name)}"
    return f"{name} in {settings_file()}"


def _message(kind: str, message: str) -> str:
    known = ", ".join(Settings.model_fields)
    return f"unknown setting; the settings are {known}" if kind == "extra_forbidden" else message
