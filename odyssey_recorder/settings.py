"""The program's settings and where they come from: flags, then the environment, then settings.toml, then defaults."""

import getpass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path, user_documents_path
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from odyssey_recorder.errors import SettingsError

APP = "odyssey-recorder"


def settings_file() -> Path:
    """Where settings.toml is looked for."""
    return user_config_path(APP) / "settings.toml"


class Settings(BaseSettings):
    """All settings, each also an environment variable: ``dataset`` is ``ODYSSEY_DATASET``.

    `adb` empty means: the adb on the PATH, otherwise the one that comes with the program.
    """

    model_config = SettingsConfigDict(env_prefix="ODYSSEY_", extra="forbid", frozen=True)

    dataset: Path = Field(default_factory=lambda: user_documents_path() / "GUI-Odyssey")
    drafts: Path = Field(default_factory=lambda: user_data_path(APP) / "drafts")
    annotator: str = Field(default_factory=getpass.getuser)
    adb: str = ""
    adb_server_port: int = Field(default=5037, validation_alias="ANDROID_ADB_SERVER_PORT", ge=1, le=65535)

    @classmethod
    def settings_customise_sources(  # noqa: PLR0913 - pydantic calls it so
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
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"The setting {name} is wrong: {first['msg']}. It comes from a flag, the environment or {settings_file()}."
        ) from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{settings_file()} cannot be read: {error}.") from error
