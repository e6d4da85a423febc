from pathlib import Path

import pytest

from odyssey_recorder.device.avd_tools import AvdTools
from odyssey_recorder.errors import DeviceError, SdkError
from tests.device.sdk_bench import IMAGE, StandInSdk, stand_in_sdk


@pytest.fixture
def stand_in(tmp_path: Path) -> StandInSdk:
    (tmp_path / "avd").mkdir()
    return stand_in_sdk(tmp_path / "sdk")


@pytest.fixture
def tools(stand_in: StandInSdk, tmp_path: Path) -> AvdTools:
    environment = {"ANDROID_HOME": str(stand_in.folder), "ANDROID_AVD_HOME": str(tmp_path / "avd")}
    return AvdTools(stand_in.sdk, environment)


def test_what_the_emulator_chats_about_is_no_device(tools: AvdTools) -> None:
    assert tools.names() == frozenset()
    tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
    assert tools.names() == {"Fold"}


def test_a_device_that_there_is_is_made_anew_only_when_asked(tools: AvdTools) -> None:
    tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
    with pytest.raises(
        DeviceError, match=r"could not create .* Fold\. Its output: Error: Android Virtual Device 'Fold' already"
    ):
        tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
    tools.create("Fold", image=IMAGE, device="pixel_fold", replace=True)


CHAT = "Loading local repository...\n"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (
            "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.",
            "Set JAVA_HOME to the jbr folder",
        ),
        ("The operation could not be completed. Unable to locate a Java Runtime.", "Set JAVA_HOME to the jbr folder"),
        ("java.lang.UnsupportedClassVersionError: com/android/prefs", "Set JAVA_HOME to the jbr folder"),
        ("Error: No device found matching --device pixel_fold.\nnull", "sdkmanager 'cmdline-tools;latest'"),
        ("Error: Package path is not valid. Valid system image paths are:\nnull", "sdkmanager 'cmdline-tools;latest'"),
        ("Error: No space left on device", "Free some disk space"),
        (f"{CHAT}Error: Something odd.", ""),
    ],
)
def test_what_avdmanager_refuses_is_told_with_what_to_do(
    stand_in: StandInSdk, tools: AvdTools, words: str, advice: str
) -> None:
    stand_in.refusal(words)

    with pytest.raises(DeviceError) as told:
        tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)

    assert advice in str(told.value)
    assert f"Its output: {words.removeprefix(CHAT).splitlines()[0]}" in str(told.value)
    assert "null" not in str(told.value)


def test_programs_that_do_not_run_are_told_as_a_fault_of_the_sdk(stand_in: StandInSdk, tools: AvdTools) -> None:
    for program in ("emulator/emulator", "cmdline-tools/latest/bin/avdmanager"):
        (stand_in.folder / program).chmod(0o644)

    with pytest.raises(SdkError, match=r"emulator does not respond: .*Permission denied.*Install the emulator"):
        tools.names()
    with pytest.raises(SdkError, match=r"avdmanager could not be started: Permission denied\. .*JAVA_HOME"):
        tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)


def test_an_emulator_that_fails_is_told_with_its_words(stand_in: StandInSdk, tools: AvdTools) -> None:
    program = stand_in.folder / "emulator" / "emulator"
    program.write_text("#!/bin/sh\necho 'error while loading shared libraries: libX11.so.6' >&2\nexit 127\n")

    with pytest.raises(SdkError, match=r"could not be started: error while loading shared libraries: libX11"):
        tools.names()
