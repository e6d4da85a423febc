import shlex
from pathlib import Path

import pytest

from odyssey_recorder.device.sdk import AndroidSdk, find_sdk, host_abi, no_sdk, sdk_folders
from odyssey_recorder.errors import SdkError

HOME = Path("/home/ann")
IMAGE = "system-images;android-34;google_apis;x86_64"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


@pytest.mark.parametrize(
    ("platform", "environment", "folders"),
    [
        ("linux", {}, ["/home/ann/Android/Sdk", "/usr/lib/android-sdk", "/opt/android-sdk"]),
        ("darwin", {}, ["/home/ann/Library/Android/sdk"]),
        ("win32", {}, ["/home/ann/AppData/Local/Android/Sdk"]),
        ("win32", {"LOCALAPPDATA": "/local"}, ["/local/Android/Sdk"]),
        ("darwin", {"ANDROID_HOME": "/a", "ANDROID_SDK_ROOT": "/b"}, ["/a", "/b"]),
        ("linux", {"ANDROID_HOME": "/a", "ANDROID_SDK_ROOT": "/a"}, ["/a", "/home/ann/Android/Sdk"]),
        ("linux", {"ANDROID_HOME": "", "ANDROID_SDK_ROOT": "/b"}, ["/b"]),
    ],
)
def test_sdk_folders_by_environment_and_platform(
    platform: str, environment: dict[str, str], folders: list[str]
) -> None:
    found = sdk_folders(environment, platform, HOME)
    assert list(found)[: len(folders)] == [Path(folder) for folder in folders]


def test_first_existing_folder_is_the_sdk(tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    found = find_sdk([tmp_path / "first", tmp_path / "second"])
    assert found is not None
    assert found.folder == tmp_path / "second"
    assert find_sdk([tmp_path / "first"]) is None


@pytest.mark.parametrize(
    ("machine", "abi"), [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "arm64-v8a"), ("aarch64", "arm64-v8a")]
)
def test_system_image_matches_the_processor(machine: str, abi: str) -> None:
    assert host_abi(machine) == abi
    assert AndroidSdk(HOME, machine=machine).image_package("34", "google_apis").endswith(f";google_apis;{abi}")


@pytest.mark.parametrize(("platform", "program_end", "script_end"), [("linux", "", ""), ("win32", ".exe", ".bat")])
def test_tools_are_found_on_each_platform(tmp_path: Path, platform: str, program_end: str, script_end: str) -> None:
    emulator = program(tmp_path / "emulator" / f"emulator{program_end}")
    avdmanager = program(tmp_path / "cmdline-tools" / "latest" / "bin" / f"avdmanager{script_end}")
    sdk = AndroidSdk(tmp_path, platform=platform)
    assert sdk.tool("emulator") == sdk.require("emulator") == emulator
    assert (sdk.tool("avdmanager"), sdk.tool("adb")) == (avdmanager, None)


def test_newest_command_line_tools_are_used(tmp_path: Path) -> None:
    sdk = AndroidSdk(tmp_path, platform="linux")
    for folder in ("tools", "cmdline-tools/9.0", "cmdline-tools/16.0-beta01", "cmdline-tools/latest"):
        newest = program(tmp_path / folder / "bin" / "avdmanager")
        assert sdk.tool("avdmanager") == newest


def test_missing_tool_is_named_with_its_install_command(tmp_path: Path) -> None:
    tmp_path = tmp_path / "my $HOME"
    manager = program(tmp_path / "cmdline-tools" / "latest" / "bin" / "sdkmanager")
    with pytest.raises(SdkError) as error:
        AndroidSdk(tmp_path, platform="linux").require("emulator")
    command = f"{shlex.quote(str(manager))} emulator"
    assert str(error.value) == f"The Android SDK in {tmp_path} has no emulator. Run: {command}"


def test_empty_sdk_lists_everything_missing(tmp_path: Path) -> None:
    missing = AndroidSdk(tmp_path, platform="linux").missing([IMAGE, IMAGE])

    assert [finding.what for finding in missing] == ["emulator", "avdmanager", "adb", "System image"]
    assert {finding.command for finding in missing} == {""}, "no command works without sdkmanager"
    assert missing[-1].prevents
    assert missing[-1].fix.endswith(f"Then run: sdkmanager '{IMAGE}'")
    assert all("tick Android SDK Command-line Tools (latest)" in finding.fix for finding in missing)
    assert "odyssey-recorder simulate" in no_sdk().fix


def test_empty_image_folder_is_not_installed(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*IMAGE.split(";"))
    folder.mkdir(parents=True)
    sdk = AndroidSdk(tmp_path)

    with pytest.raises(SdkError, match=f"has no {IMAGE}.*sdkmanager .{IMAGE}"):
        sdk.require_package(IMAGE)
    program(folder / "system.img")
    sdk.require_package(IMAGE)
