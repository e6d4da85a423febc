"""The files of a virtual device."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from odyssey_recorder.device.profile import DeviceProfile, Fold, profiles
from odyssey_recorder.errors import DatasetError, DeviceError
from odyssey_recorder.files import Largest, read_file, write_durably

_ENTRY = re.compile(r"\s*([^#\s=][^=\s]*)\s*=\s*(.*?)\s*")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_IMAGE = re.compile(r"system-images[\\/]android-([^\\/]+)[\\/]([^\\/]+)[\\/]")
_BOOLEANS = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_UNITS_MB = {"": 1, "M": 1, "G": 1024}
_SIZE = re.compile(r"(\d+)\s*([MG]?B?)", re.IGNORECASE)

_LABELS = {
    "hw.lcd.width": "width",
    "hw.lcd.height": "height",
    "hw.lcd.density": "density",
    "hw.keyboard": "keyboard",
    "hw.initialOrientation": "orientation",
}

_LENIENT = {"hw.ramSize", "hw.gpu.enabled", "hw.gpu.mode", "hw.mainKeys", "skin.name", "skin.path", "skin.dynamic"}
"""Keys that are written but may differ without harm to recordings."""


def avd_home(environment: Mapping[str, str], home: Path) -> Path:
    """Found as the emulator and avdmanager find it."""
    if environment.get("ANDROID_AVD_HOME"):
        return Path(environment["ANDROID_AVD_HOME"])
    for name in ("ANDROID_USER_HOME", "ANDROID_EMULATOR_HOME"):
        if environment.get(name):
            return Path(environment[name], "avd")
    for name in ("ANDROID_PREFS_ROOT", "ANDROID_SDK_HOME"):
        if environment.get(name):
            without, within = Path(environment[name], "avd"), Path(environment[name], ".android", "avd")
            return without if without.is_dir() and not within.parent.is_dir() else within
    return home / ".android" / "avd"


def is_avd_name(name: str) -> bool:
    """Accepted by avdmanager, and safe as a command argument and a file name."""
    return _NAME.fullmatch(name) is not None and name[0] not in ".-"


def wanted_entries(profile: DeviceProfile) -> dict[str, str]:
    return {
        "hw.device.name": profile.avd_device,
        "hw.lcd.width": str(profile.width),
        "hw.lcd.height": str(profile.height),
        "hw.lcd.density": str(profile.density),
        "hw.initialOrientation": profile.avd.orientation,
        "hw.keyboard": "yes" if profile.avd.keyboard else "no",
        "hw.mainKeys": "no",
        "hw.ramSize": str(profile.avd.ram_mb),
        "hw.gpu.enabled": "yes",
        "hw.gpu.mode": profile.avd.gpu,
        # A skin would bring its own screen size.
        "skin.name": f"{profile.width}x{profile.height}",
        "skin.path": "_no_skin",
        "skin.dynamic": "yes",
        **(_fold_entries(profile.fold) if profile.fold else {}),
    }


def _fold_entries(fold: Fold) -> dict[str, str]:
    return {
        "hw.sensor.hinge": "yes",
        "hw.sensor.hinge.count": "1",
        "hw.sensor.hinge.type": "1",
        "hw.sensor.hinge.sub_type": "1",
        "hw.sensor.hinge.ranges": "0-180",
        "hw.sensor.hinge.defaults": "180",
        "hw.sensor.hinge.areas": "-".join(map(str, fold.hinge_area)),
        "hw.sensor.posture_list": "1, 2, 3",
        "hw.sensor.hinge_angles_posture_definitions": "0-30, 30-150, 150-180",
        "hw.sensor.hinge.fold_to_displayRegion.0.1_at_posture": "1",
        "hw.displayRegion.0.1.xOffset": "0",
        "hw.displayRegion.0.1.yOffset": "0",
        "hw.displayRegion.0.1.width": str(fold.outer_width),
        "hw.displayRegion.0.1.height": str(fold.outer_height),
    }


def entries(config: str) -> dict[str, str]:
    config = config.removeprefix("\ufeff")
    return {entry[1]: entry[2] for line in config.splitlines() if (entry := _ENTRY.fullmatch(line))}


def system_image(folder: str) -> str:
    """The system image of the virtual device in `folder`, as its config.ini has it; empty if that cannot be read."""
    with suppress(OSError):  # also if the folder is unknown
        config = read_file(Path(folder, "config.ini"), Largest.WRITTEN_BY_HAND)
        return entries(config.decode(errors="replace")).get("image.sysdir.1", "")
    return ""


def amended(config: str, wanted: Mapping[str, str]) -> str:
    lines, remaining = [], dict(wanted)
    for line in config.splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is None or entry[1] not in wanted:
            lines.append(line)
        elif entry[1] in remaining:
            lines.append(f"{entry[1]}={remaining.pop(entry[1])}")
    lines += [f"{key}={value}" for key, value in remaining.items()]
    return "".join(f"{line}\n" for line in lines)


def created_from(config: Mapping[str, str]) -> DeviceProfile | None:
    """The profile of an AVD by the name of its hardware, or else by its screen size."""
    hardware = config.get("hw.device.name", "")
    size = (config.get("hw.lcd.width", ""), config.get("hw.lcd.height", ""))
    by_name = (profile for profile in profiles() if profile.avd_device == hardware)
    by_size = (profile for profile in profiles() if (str(profile.width), str(profile.height)) == size)
    return next(by_name, None) or next(by_size, None)


def problems(config: Mapping[str, str], profile: DeviceProfile) -> tuple[str, ...]:
    found = [
        f"Its {_LABELS.get(key, key)} is {config.get(key) or 'not set'}, the profile's {value}."
        for key, value in wanted_entries(profile).items()
        if key not in _LENIENT and _normalized(config.get(key, "")) != _normalized(value)
    ]
    memory_mb = _megabytes(config.get("hw.ramSize", ""))
    if memory_mb is not None and memory_mb < profile.avd.ram_mb:
        found.append(f"It has {memory_mb} MB of memory, the profile {profile.avd.ram_mb} MB.")
    image = _IMAGE.match(config.get("image.sysdir.1", ""))
    if image is not None and image.groups() != (profile.android_sdk, profile.avd.image):
        wanted = f"{profile.android_sdk} ({profile.avd.image})"
        found.append(f"It has Android API {image[1]} ({image[2]}), the profile {wanted}. Create it again.")
    return tuple(found)


class AvdFolder:
    """``NAME.ini`` says which folder holds the device's config.ini. Calls raise DeviceError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in self.folder.glob("*.ini") if is_avd_name(path.stem)))

    def state(self) -> object:
        with suppress(FileNotFoundError):
            return [(path.name, path.stat().st_mtime_ns) for path in sorted(self.folder.glob("*.ini"))]
        return None

    def config(self, name: str) -> dict[str, str]:
        return entries(self._read(name))

    def amend(self, name: str, wanted: Mapping[str, str]) -> None:
        path = self._config_path(name)
        text = amended(self._read(name), wanted)
        try:
            write_durably(path, text.encode(errors="surrogateescape"))
        except DatasetError as error:
            raise DeviceError(str(error)) from error

    def _read(self, name: str) -> str:
        path = self._config_path(name)
        try:
            return read_file(path, Largest.WRITTEN_BY_HAND).decode(errors="surrogateescape")
        except OSError as error:
            raise DeviceError(
                f"{path} of the virtual device {name} cannot be read: {error.strerror}. If the device "
                f"was moved, write its folder into the line path= of {self.folder / name}.ini."
            ) from error

    def _config_path(self, name: str) -> Path:
        if not is_avd_name(name):
            raise DeviceError(f"{name!r} is not a valid name. Use letters, digits, . _ and - only.")
        try:
            ini = _ini_entries(read_file(self.folder / f"{name}.ini", Largest.WRITTEN_BY_HAND))
            folders = [Path(ini["path"])] if ini.get("path") else []
            folders += [self.folder.parent / ini["path.rel"]] if ini.get("path.rel") else []
            configs = [folder / "config.ini" for folder in (*folders, self.folder / f"{name}.avd")]
            return next((config for config in configs if config.exists()), configs[0])
        except FileNotFoundError as error:
            known = ", ".join(self.names()) or "none"
            raise DeviceError(f"No virtual device is named {name}. Existing devices: {known}.") from error
        except OSError as error:
            raise DeviceError(f"{self.folder / name}.ini cannot be read: {error.strerror}.") from error


def _ini_entries(data: bytes) -> dict[str, str]:
    """In the encoding that the file itself declares, by default UTF-8."""
    encoding = entries(data.decode(errors="replace")).get("avd.ini.encoding", "")
    with suppress(LookupError, ValueError):
        return entries(data.decode(encoding or "utf-8", errors="replace"))
    return entries(data.decode(errors="replace"))


def _normalized(value: str) -> str:
    value = re.sub(r"\s", "", value).lower()
    return _BOOLEANS.get(value, value)


def _megabytes(value: str) -> int | None:
    size = _SIZE.fullmatch(value)
    return int(size[1]) * _UNITS_MB[size[2].upper().removesuffix("B")] if size else None
