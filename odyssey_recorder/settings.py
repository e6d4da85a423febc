"""The program's settings and where they come from: flags, then the environment, then settings.toml, then defaults."""

import getpass
import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path, user_data_path, user_documents_path
from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from odyssey_recorder.errors import SettingsError

APP = "odyssey-recorder"

_ENVIRONMENT = {"adb_server_port": "ANDROID_ADB_SERVER_PORT"}
"""The variables that are not called ``ODYSSEY_`` and the setting's name: adb's own."""


def settings_file() -> Path:
    """Where settings.toml is looked for."""
    return user_config_path(APP) / "settings.toml"


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError) as error:
        raise SettingsError("This computer has no name for you: set ODYSSEY_ANNOTATOR to your name.") from error


_Folder = Annotated[Path, AfterValidator(lambda path: Path(os.path.expanduser(path)))]  # noqa: PTH111 - never raises


class Settings(BaseSettings):
    """All settings, each also an environment variable: ``dataset`` is ``ODYSSEY_DATASET``.

    `adb` empty means: the adb on the PATH, otherwise the one that comes with the program. `adb_server_port` is
    ``ANDROID_ADB_SERVER_PORT`` in the environment, as for adb itself. `capture` is the way to pictures: the emulator's
    own gRPC service where there is one, or one of the two in any case. `shared_memory` has the emulator hand over the
    pictures of its stream there: cheaper, but one of them may be of a moment later. `view_trees`: whether the view tree
    of every screen at rest is read and stored.
    """

    model_config = SettingsConfigDict(
        env_prefix="ODYSSEY_", extra="forbid", frozen=True, populate_by_name=True, env_ignore_empty=True
    )

    dataset: _Folder = Field(default_factory=lambda: user_documents_path() / "GUI-Odyssey")
    drafts: _Folder = Field(default_factory=lambda: user_data_path(APP) / "drafts")
    annotator: str = Field(default_factory=_user_name)
    adb: str = ""
    capture: Literal["auto", "adb", "grpc"] = "auto"
    shared_memory: bool = False
    view_trees: bool = True
    adb_server_port: int = Field(default=5037, validation_alias=_ENVIRONMENT["adb_server_port"], ge=1, le=65535)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags first, then the environment, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, settings_file())


def read_settings(**flags: Any) -> Settings:
    """The settings, `flags` that are not None above all. Raises SettingsError naming what is wrong, and where."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(
            f"{_origin(str(first['loc'][0]), given)}: {_complaint(first['type'], first['msg'])}."
        ) from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{settings_file()} cannot be read: {error}.") from error


def _origin(place: str, flags: Collection[str]) -> str:
    """Where a setting that is wrong comes from; `place` is its name, or that of its variable."""
    name = next((name for name, variable in _ENVIRONMENT.items() if variable == place), place)
    variable = _ENVIRONMENT.get(name, f"ODYSSEY_{name.upper()}")
    if name in flags:
        return f"--{name.replace('_', '-')}"
    if any(variable == known.upper() for known in os.environ):
        return f"The environment variable {variable}"
    return f"{name} in {settings_file()}"


def _complaint(kind: str, message: str) -> str:
    known = ", ".join(Settings.model_fields)
    return f"there is no such setting; there are {known}" if kind == "extra_forbidden" else message
