"""The data folders, in a checkout as in a wheel."""

from pathlib import Path
from typing import Literal, get_args

PACKAGE = Path(__file__).resolve().parent

DataFolder = Literal["templates", "prompts", "tasks", "practice", "device_profiles"]


def data_folder(name: DataFolder) -> Path:
    """Inside the package in a wheel, next to it in a checkout."""
    packaged = PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else PACKAGE.parent / name


def shipped_folders() -> tuple[Path, ...]:
    return PACKAGE, *map(data_folder, get_args(DataFolder))
