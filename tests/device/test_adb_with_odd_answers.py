import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import PART, AdbShell
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
)
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.adb_server import free_port
from tests.device.scripted_adb_server import HANG, OKAY, ScriptedAdbServer, fail, printed, shell

SERIAL = "emulator-6000"
DISPLAYS = shell("dumpsys SurfaceFlinger --display-id")
ONE_PANEL = b"Display 4619827259835644672 (HWC display 0): port=0\n"
PIXELS = bytearray(range(24))
SCREENSHOT = struct.pack("<4I", 2, 3, 1, 1) + PIXELS
WARNING = b"[Warning] Multiple displays were found, but no display id was specified!\n"


@contextmanager
def device_with(answers: Mapping[str, bytes], *, answer_s: float = 20) -> Iterator[AdbDevice]:
    with ScriptedAdbServer(answers) as server:
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port), answer_s=answer_s))
        yield device
        device.close()


def phone(answers: Mapping[str, bytes]) -> dict[str, bytes]:
    return {DISPLAYS: printed(ONE_PANEL), **answers}


def test_warnings_beside_a_frame_or_an_input_do_no_harm() -> None:
    noise = {shell("input keyevent 3"): printed(b"", errors=b"WARNING: linker: unused DT entry\n")}

    with device_with(phone({shell("screencap"): printed(SCREENSHOT, errors=WARNING), **noise})) as device:
        assert device.capture().pixels == PIXELS
        device.press(SystemKey.HOME)


def test_a_foldable_s_lit_panel_is_captured_and_looked_up_anew_each_time() -> None:
    panels = ONE_PANEL + b"Display 4619827551948147201 (HWC display 1): port=1\n"
    viewport = b"Viewport INTERNAL: displayId=0, uniqueId=local:4619827551948147201, port=1, isActive=[1]"
    answers = {
        DISPLAYS: printed(panels),
        shell("dumpsys input"): printed(viewport),
        shell("screencap -d 4619827551948147201"): printed(SCREENSHOT),
    }

    with ScriptedAdbServer(answers) as server:
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port)))
        frames = [device.capture(), device.capture()]

    assert [frame.number for frame in frames] == [1, 2]
    assert (server.requests.count(DISPLAYS), server.requests.count(shell("dumpsys input"))) == (1, 2)


def test_a_device_that_comes_back_is_asked_anew_what_it_can_do() -> None:
    with ScriptedAdbServer(phone({shell("screencap"): fail("closed")})) as server:
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port)))
        for _ in range(2):
            with pytest.raises(DeviceDisconnectedError):
                device.capture()

    assert server.requests.count(DISPLAYS) == 2


@pytest.mark.parametrize(
    ("output", "words"),
    [
        *((SCREENSHOT[:length], f"cut short: {length} of the header's 16 bytes") for length in (1, 15)),
        *((SCREENSHOT[:length], f"{length} bytes received, 40 expected") for length in (16, 35, 39)),
        (SCREENSHOT + b"!", "41 bytes received, 40 expected"),
        (struct.pack("<4I", 2, 3, 4, 1) + PIXELS, "pixel format 4"),
        (b"Error: no display is on", "not a screenshot: it begins with b'Error: no displa'"),
        (b"", "Its output: Failed to take screenshot"),
    ],
)
def test_anything_but_one_whole_screenshot_is_refused(output: bytes, words: str) -> None:
    errors = b"" if output else b"Failed to take\nscreenshot"
    with (
        device_with(phone({shell("screencap"): printed(output, errors=errors)})) as device,
        pytest.raises(DeviceError, match=f"{SERIAL} .*{words}") as caught,
    ):
        device.capture()

    assert type(caught.value) is DeviceError


def test_recent_apps_that_stay_are_stopped_and_named_if_that_does_not_help_either() -> None:
    task = b"  * Recent #0: Task{1 #7 type=standard A=10:x}\n    mActivityComponent=org.example.x/.Main\n"
    answers = {
        shell("input keyevent 3"): printed(b""),
        shell("dumpsys activity recents"): printed(b"RECENT TASKS\n" + task),
        shell("am *"): printed(b""),
    }

    with ScriptedAdbServer(answers) as server:
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port)))
        with pytest.raises(DeviceError, match=rf"{SERIAL} still lists recent apps: org\.example\.x\. Close them by"):
            device.close_recents()

    commands = [request for request in server.requests if request.startswith(shell("am "))]
    assert commands == [shell("am stack remove 7"), shell("am force-stop org.example.x")]


def test_a_screenshot_during_which_the_connection_breaks_is_a_device_that_went_away() -> None:
    half = OKAY + struct.pack("<BI", 1, len(SCREENSHOT)) + SCREENSHOT[:-5]

    with (
        device_with(phone({shell("screencap"): half})) as device,
        pytest.raises(DeviceDisconnectedError, match=f"{SERIAL} was lost .*after 40 bytes"),
    ):
        device.capture()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (printed(b"", errors=b"\nException occurred while executing 'tap':\njava.lang.X", exit_code=255), "tap.: java"),
        (printed(b"Error: Injecting to another application\nat a.b.c", exit_code=0), "Error: Injecting"),
        (printed(b"", errors=b"Killed", exit_code=137), "Killed"),
        (printed(b"usage: input ...", exit_code=0), "usage: input"),
        (printed(b"", exit_code=1), r"exit code 1\)\."),
    ],
    ids=["exception", "error, yet exit code 0", "killed", "usage", "no words"],
)
def test_an_input_that_the_device_complains_of_was_refused(answer: bytes, words: str) -> None:
    with (
        device_with({shell("input tap 5 6"): answer}) as device,
        pytest.raises(InputRefusedError, match=words) as caught,
    ):
        device.touch(TouchStroke.press(Pixel(5, 6)))

    assert SERIAL in str(caught.value)


@pytest.mark.parametrize("end", [printed(b"", errors=b"Error: no", exit_code=255), fail("closed")])
def test_text_that_breaks_off_says_how_much_of_it_was_typed(end: bytes) -> None:
    answers = {shell(f"input text {'a' * 40}"): printed(b""), shell("input text b"): end}

    with device_with(answers) as device, pytest.raises(InputRefusedError, match="Only 40 of 41 characters"):
        device.type_text("a" * 40 + "b")


def test_before_android_12_a_bent_drag_is_one_straight_swipe() -> None:
    bent = TouchStroke.drag((Pixel(0, 0), Pixel(300, 0), Pixel(300, 300)), duration_ms=250)
    answers = {
        shell("getprop ro.build.version.sdk"): printed(b"30\n"),
        shell("input swipe 0 0 300 300 250"): printed(b""),
    }

    with ScriptedAdbServer(answers) as server:
        AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port))).touch(bent)

    assert shell("input swipe 0 0 300 300 250") in server.requests


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (f"device '{SERIAL}' not found", "Restart it or plug it in"),
        ("device offline", "with a cold boot"),
        ("device unauthorized.\nPlease check the confirmation dialog on your device.", "Allow USB debugging"),
        ("device still authorizing", "Allow USB debugging"),
        ("closed", "Restart it or plug it in"),
    ],
)
def test_a_device_that_adb_does_not_reach_is_an_error_with_what_to_do(words: str, fix: str) -> None:
    answers = {f"host:tport:serial:{SERIAL}": fail(words)}

    with device_with(answers) as device, pytest.raises(DeviceDisconnectedError, match=fix) as caught:
        device.input_nodes()

    assert SERIAL in str(caught.value)


@pytest.mark.parametrize(
    "answers",
    [
        {f"host:tport:serial:{SERIAL}": HANG},
        {shell("getevent -lp"): HANG},
        {shell("getevent -lp"): OKAY + HANG},
        {shell("getevent -lp"): OKAY + b"\x01\x05" + HANG},
    ],
    ids=["transport", "opening", "first byte", "in a packet"],
)
def test_silence_at_any_point_ends_in_a_time_out(answers: dict[str, bytes]) -> None:
    with device_with(answers, answer_s=0.1) as device, pytest.raises(DeviceTimeoutError, match=SERIAL):
        device.input_nodes()


def test_closing_wakes_a_call_that_waits() -> None:
    with (
        ThreadPoolExecutor(1) as waiting,
        ScriptedAdbServer({shell("input keyevent 4"): OKAY + HANG}) as server,
    ):
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port), answer_s=600))
        pressed = waiting.submit(device.press, SystemKey.BACK)
        server.wait_for(shell("input keyevent 4"))
        device.close()

        assert isinstance(pressed.exception(timeout=10), DeviceDisconnectedError)


def test_a_device_that_has_not_booted_is_waited_for_only_so_long_and_a_closed_one_not_at_all() -> None:
    booting = {shell("getprop sys.boot_completed"): printed(b"\n")}

    with device_with(booting) as device:
        with pytest.raises(DeviceTimeoutError, match=f"{SERIAL} .* has not booted"):
            device.wait_until_ready(0)
        device.close()
        with pytest.raises(DeviceDisconnectedError, match="was closed"):
            device.wait_until_ready(600)


def test_an_answer_with_parts_missing_is_refused() -> None:
    command = "getprop; echo ==part==; wm size; echo ==part==; wm density"
    answers = {shell(command): printed(b"[ro.product.model]: [x]\n==part==\n")}

    with device_with(answers) as device, pytest.raises(DeviceError, match=f"{SERIAL} answered 2 of 3 commands"):
        device.properties()


def test_something_else_on_the_server_s_port_is_told_as_such() -> None:
    answers = {"host:version": b"HTTP/1.1 400 Bad Request\r\n\r\n"}

    with ScriptedAdbServer(answers) as server, pytest.raises(DeviceError, match=r"adb server at 127\.0\.0\.1"):
        AdbServer(port=server.port).version()


def test_where_no_server_listens_none_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADBUTILS_ADB_PATH", "/nowhere/adb: whoever runs this fails in another way")
    server = AdbServer(port=free_port())

    with pytest.raises(DeviceDisconnectedError, match="adb start-server"):
        server.devices()
    with pytest.raises(DeviceDisconnectedError, match="adb start-server"):
        AdbDevice(AdbShell(SERIAL, server)).input_nodes()


def test_a_view_tree_is_what_comes_after_the_dump_s_own_words() -> None:
    tree = b"<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\"></hierarchy>"
    said = printed(b"UI hierchary dumped to: /data/local/tmp/x.xml\n" + tree)

    with device_with({shell("rm -f /data/local/tmp/*"): said}) as device:
        assert device.view_hierarchy() == tree.decode()


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        (
            b"ERROR: could not get idle state.\ncat: x.xml: No such file or directory\n",
            "screen never settles.*idle state",
        ),
        (b"ERROR: null root node returned by UiTestAutomationBridge.\n", "Look again.*null root node"),
        (b"Killed\n", "Look again.*Killed"),
        (b"", "Look again"),
    ],
)
def test_a_screen_whose_views_cannot_be_read_is_told_with_the_reason(errors: bytes, words: str) -> None:
    answers = {shell("rm -f *"): printed(b"", errors=errors)}

    with (
        device_with(answers) as device,
        pytest.raises(DeviceError, match=f"(?s)view hierarchy of {SERIAL} cannot be read.*{words}"),
    ):
        device.view_hierarchy()


@pytest.mark.parametrize(
    ("name", "command", "output", "value"),
    [
        ("x", "settings get secure x", b"null\n", ""),
        ("x", "settings get secure x", b"\n", ""),
        ("x", "settings get secure x", b"2\r\n", "2"),
        ("x", "settings get secure x", b"a b\n", "a b"),
        ("$(reboot); x", "settings get secure '$(reboot); x'", b"1\n", "1"),
    ],
)
def test_a_setting_is_its_value_and_null_is_none(name: str, command: str, output: bytes, value: str) -> None:
    with device_with({shell(command): printed(output)}) as device:
        assert device.setting("secure", name) == value


def test_an_answer_that_is_no_value_is_an_error() -> None:
    answers = {
        shell("settings get nowhere x"): printed(b"", errors=b"Invalid namespace", exit_code=255),
        shell("cat /proc/uptime"): printed(b"soon\n"),
    }
    with device_with(answers) as device:
        with pytest.raises(DeviceError, match=f"{SERIAL} did not report .*Invalid namespace"):
            device.setting("nowhere", "x")
        with pytest.raises(DeviceError, match=f"{SERIAL} sent an unusable answer"):
            device.read_clock()


@pytest.mark.parametrize(("uptime", "least_us"), [(b"40371.25 160000.00\n", 40_371_250_000), (b"0.07 0.01\n", 70_000)])
def test_the_clock_is_between_two_steps_of_what_the_kernel_prints(uptime: bytes, least_us: int) -> None:
    with device_with({shell("cat /proc/uptime"): printed(uptime)}) as device:
        reading = device.read_clock()

    assert (reading.least_us, reading.most_us) == (least_us, least_us + 10_000)
    assert reading.before_ns < reading.after_ns


LINE = b"[   40371.250000] /dev/input/event12: EV_KEY       KEY_BACK             DOWN                \n"


def test_following_the_input_ends_when_getevent_does() -> None:
    heard: list[bytes] = []

    with device_with({shell("getevent -lt"): printed(LINE, exit_code=137)}) as device:
        device.follow_input(lambda data, _: heard.append(data))

    assert heard == [LINE]


@pytest.mark.parametrize("answer", [fail("device offline"), OKAY, OKAY + b"\x01\x05\x00\x00\x00ab"])
def test_input_that_breaks_off_before_getevent_ends_is_a_device_that_went_away(answer: bytes) -> None:
    with (
        device_with({shell("getevent -lt"): answer}) as device,
        pytest.raises(DeviceDisconnectedError, match=SERIAL),
    ):
        device.follow_input(lambda *_: None)


def test_getevent_must_begin_in_time_and_may_then_be_silent_for_as_long_as_it_likes() -> None:
    with (
        device_with({shell("getevent -lt"): HANG}, answer_s=0.1) as device,
        pytest.raises(DeviceTimeoutError, match=SERIAL),
    ):
        device.follow_input(lambda *_: None)
    silent = {shell("getevent -lt"): OKAY + HANG, shell("getevent -lp"): OKAY + HANG}
    with ThreadPoolExecutor(1) as following, device_with(silent, answer_s=0.1) as device:
        followed = following.submit(device.follow_input, lambda *_: None)
        for _ in range(3):
            with pytest.raises(DeviceTimeoutError):
                device.input_nodes()
        assert not followed.done()
        device.close()

        assert isinstance(followed.exception(timeout=10), DeviceDisconnectedError)


def test_a_screen_that_changes_its_size_while_it_is_read_is_read_again() -> None:
    reading = shell("wm size; echo ")
    torn = f"Physical size: 2208x1840\n{PART}\n{PART}\n{PART}\n{PART}\nPhysical size: 1080x2092\n"
    with ScriptedAdbServer({f"{reading}*": printed(torn.encode())}) as server:
        device = AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port)))
        with pytest.raises(DeviceError, match="keeps changing its size"):
            device.screen_state()

    assert sum(request.startswith(reading) for request in server.requests) == 3
