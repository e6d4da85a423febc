import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import PART, AdbShell
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import free_port
from tests.device.scripted_adb_server import HANG, OKAY, ScriptedAdbServer, fail, printed, shell

SERIAL = "emulator-6000"
DISPLAYS = shell("dumpsys SurfaceFlinger --display-id")
ONE_PANEL = b"Display 4619827259835644672 (HWC display 0): port=0\n"
PIXELS = bytearray(range(24))
SCREENSHOT = struct.pack("<4I", 2, 3, 1, 1) + PIXELS
BLACK = struct.pack("<4I", 2, 3, 1, 1) + b"\0\0\0\xff" * 6
WARNING = b"[Warning] Multiple displays were found, but no display id was specified!\n"


@contextmanager
def device_with(answers: Mapping[str, bytes], *, answer_s: float = 20) -> Iterator[AdbDevice]:
    with ScriptedAdbServer(answers) as server:
        yield device_of(server, answer_s=answer_s)


def device_of(server: ScriptedAdbServer, *, answer_s: float = 20) -> AdbDevice:
    return AdbDevice(AdbShell(SERIAL, AdbServer(port=server.port), answer_s=answer_s))


def with_one_panel(answers: Mapping[str, bytes]) -> dict[str, bytes]:
    return {DISPLAYS: printed(ONE_PANEL), **answers}


def test_warnings_on_stderr_are_ignored() -> None:
    noise = {shell("input keyevent 3"): printed(b"", errors=b"WARNING: linker: unused DT entry\n")}
    with device_with(with_one_panel({shell("screencap"): printed(SCREENSHOT, errors=WARNING), **noise})) as device:
        assert device.capture().pixels == PIXELS
        device.press(SystemKey.HOME)


def test_lit_panel_of_a_foldable_is_looked_up_each_time() -> None:
    panels = ONE_PANEL + b"Display 4619827551948147201 (HWC display 1): port=1\n"
    viewport = b"Viewport INTERNAL: displayId=0, uniqueId=local:4619827551948147201, port=1, isActive=[1]"
    answers = {
        DISPLAYS: printed(panels),
        shell("dumpsys input"): printed(viewport),
        shell("screencap -d 4619827551948147201"): printed(SCREENSHOT),
    }

    with ScriptedAdbServer(answers) as server:
        device = device_of(server)
        assert [device.capture().number, device.capture().number] == [1, 2]

    assert (server.requests.count(DISPLAYS), server.requests.count(shell("dumpsys input"))) == (1, 2)


def test_panel_that_is_not_marked_is_looked_for_once(caplog: pytest.LogCaptureFixture) -> None:
    inner, outer = "4619827259835644672", "4619827551948147201"
    taken = {panel: shell(f"screencap -d {panel}") for panel in (inner, outer)}
    answers = {
        DISPLAYS: printed(ONE_PANEL + b"Display 4619827551948147201 (HWC display 1): port=1\n"),
        shell("dumpsys input"): printed(b"Viewport INTERNAL: displayId=0, orientation=0"),
        taken[inner]: printed(BLACK),
        taken[outer]: printed(SCREENSHOT),
    }

    with ScriptedAdbServer(answers) as server:
        device = device_of(server)
        frames = [device.capture() for _ in range(4)]
        assert device.unmarked_panel() == f"{outer} (2x3)"

    assert [frame.pixels for frame in frames] == [PIXELS] * 4
    assert [server.requests.count(taken[panel]) for panel in (inner, outer)] == [1, 5]
    assert caplog.text.count("marks none of its panels") == 1
    caplog.clear()


def test_panels_are_listed_again_after_a_reconnect() -> None:
    with ScriptedAdbServer(with_one_panel({shell("screencap"): fail("closed")})) as server:
        device = device_of(server)
        for _ in range(2):
            with pytest.raises(DeviceDisconnectedError):
                device.capture()
    assert server.requests.count(DISPLAYS) == 2


@pytest.mark.parametrize(
    ("output", "message"),
    [
        *((SCREENSHOT[:length], f"cut short: {length} of the header's 16 bytes") for length in (1, 15)),
        *((SCREENSHOT[:length], f"{length} bytes received, 40 expected") for length in (16, 35, 39)),
        (SCREENSHOT + b"!", "41 bytes received, 40 expected"),
        (struct.pack("<4I", 2, 3, 4, 1) + PIXELS, "pixel format 4"),
        (b"Error: no display is on", "not a screenshot: it begins with b'Error: no displa'"),
        (b"", "Its output: Failed to take screenshot"),
    ],
)
def test_malformed_screenshots_are_rejected(output: bytes, message: str) -> None:
    errors = b"" if output else b"Failed to take\nscreenshot"
    answers = with_one_panel({shell("screencap"): printed(output, errors=errors)})
    with device_with(answers) as device, pytest.raises(DeviceError, match=f"{SERIAL} .*{message}") as caught:
        device.capture()
    assert type(caught.value) is DeviceError


def test_recent_apps_that_stay_are_stopped_and_named() -> None:
    task = b"  * Recent #0: Task{1 #7 type=standard A=10:x}\n    mActivityComponent=org.example.x/.Main\n"
    answers = {
        shell("input keyevent 3"): printed(b""),
        shell("dumpsys activity recents"): printed(b"RECENT TASKS\n" + task),
        shell("am *"): printed(b""),
    }

    message = rf"{SERIAL} still lists recent apps: org\.example\.x\. Close them by"
    with ScriptedAdbServer(answers) as server, pytest.raises(DeviceError, match=message):
        device_of(server).close_recents()

    commands = [request for request in server.requests if request.startswith(shell("am "))]
    assert commands == [shell("am stack remove 7"), shell("am force-stop org.example.x")]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (printed(b"", errors=b"\nException occurred while executing 'tap':\njava.lang.X", exit_code=255), "tap.: java"),
        (printed(b"Error: Injecting to another application\nat a.b.c", exit_code=0), "Error: Injecting"),
        (printed(b"", errors=b"Killed", exit_code=137), "Killed"),
        (printed(b"usage: input ...", exit_code=0), "usage: input"),
        (printed(b"", exit_code=1), r"exit code 1\)\."),
    ],
    ids=["exception", "error, yet exit code 0", "killed", "usage", "no words"],
)
def test_complaint_of_the_device_refuses_the_input(answer: bytes, message: str) -> None:
    answers = {shell("input tap 5 6"): answer}
    with device_with(answers) as device, pytest.raises(InputRefusedError, match=f"{SERIAL}.*{message}"):
        device.touch(TouchStroke.press(Pixel(5, 6)))


@pytest.mark.parametrize("failure", [printed(b"", errors=b"Error: no", exit_code=255), fail("closed")])
def test_interrupted_text_reports_how_much_was_typed(failure: bytes) -> None:
    answers = {shell(f"input text {'a' * 40}"): printed(b""), shell("input text b"): failure}
    with device_with(answers) as device, pytest.raises(InputRefusedError, match="Only 40 of 41 characters"):
        device.type_text("a" * 40 + "b")


def test_curved_drag_is_one_swipe_before_android_12() -> None:
    bent = TouchStroke.drag((Pixel(0, 0), Pixel(300, 0), Pixel(300, 300)), duration_ms=250)
    answers = {
        shell("getprop ro.build.version.sdk"): printed(b"30\n"),
        shell("input swipe 0 0 300 300 250"): printed(b""),
    }

    with ScriptedAdbServer(answers) as server:
        device_of(server).touch(bent)

    assert shell("input swipe 0 0 300 300 250") in server.requests


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("device offline", "with a cold boot"),
        ("device unauthorized.\nPlease check the confirmation dialog on your device.", "Allow USB debugging"),
        ("device still authorizing", "Allow USB debugging"),
        ("closed", "Restart it or plug it in"),
    ],
)
def test_unreachable_device_is_reported_with_advice(message: str, advice: str) -> None:
    answers = {f"host:tport:serial:{SERIAL}": fail(message)}
    with device_with(answers) as device, pytest.raises(DeviceDisconnectedError, match=f"{SERIAL}.*{advice}"):
        device.input_nodes()


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
def test_silence_at_any_point_times_out(answers: dict[str, bytes]) -> None:
    with device_with(answers, answer_s=0.1) as device, pytest.raises(DeviceTimeoutError, match=SERIAL):
        device.input_nodes()


def test_wait_for_boot_ends_after_a_timeout_or_when_closed() -> None:
    booting = {shell("getprop sys.boot_completed"): printed(b"\n")}

    with device_with(booting) as device:
        with pytest.raises(DeviceTimeoutError, match=f"{SERIAL} .* has not booted"):
            device.wait_until_ready(0)
        device.close()
        with pytest.raises(DeviceDisconnectedError, match="was closed"):
            device.wait_until_ready(600)


def test_answer_with_missing_parts_is_rejected() -> None:
    command = "getprop; echo ==part==; wm size; echo ==part==; wm density"
    answers = {shell(command): printed(b"[ro.product.model]: [x]\n==part==\n")}
    with device_with(answers) as device, pytest.raises(DeviceError, match=f"{SERIAL} answered 2 of 3 commands"):
        device.properties()


def test_other_program_on_the_adb_port_is_reported() -> None:
    answers = {"host:version": b"HTTP/1.1 400 Bad Request\r\n\r\n"}
    with ScriptedAdbServer(answers) as server, pytest.raises(DeviceError, match=r"adb server at 127\.0\.0\.1"):
        AdbServer(port=server.port).version()


def test_missing_server_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADBUTILS_ADB_PATH", "/nowhere/adb: running this fails in another way")
    server = AdbServer(port=free_port())
    for call in (server.devices, AdbDevice(AdbShell(SERIAL, server)).input_nodes):
        with pytest.raises(DeviceDisconnectedError, match="adb start-server"):
            call()


def test_view_hierarchy_follows_the_message_of_the_dump() -> None:
    tree = b"<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\"></hierarchy>"
    output = printed(b"UI hierchary dumped to: /data/local/tmp/x.xml\n" + tree)
    with device_with({shell("rm -f /data/local/tmp/*"): output}) as device:
        assert device.view_hierarchy() == tree.decode()


def test_dump_is_asked_again_without_the_option_that_is_refused() -> None:
    tree = b"<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\"></hierarchy>"
    answers = {
        shell("rm -f * --windows *"): printed(b"", errors=b"Usage: uiautomator dump [--verbose][file]\n"),
        shell("rm -f *"): printed(tree),
    }
    with device_with(answers) as device:
        assert [device.view_hierarchy(), device.view_hierarchy()] == [tree.decode()] * 2


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (b"ERROR: could not get idle state.\ncat: x.xml: No such file\n", "screen never settles.*idle state"),
        (b"ERROR: null root node returned by UiTestAutomationBridge.\n", "Look again.*null root node"),
        (b"Killed\n", "Look again.*Killed"),
        (b"", "Look again"),
    ],
)
def test_unreadable_view_hierarchy_is_reported_with_the_reason(errors: bytes, message: str) -> None:
    answers = {shell("rm -f *"): printed(b"", errors=errors)}
    expected = f"(?s)view hierarchy of {SERIAL} cannot be read.*{message}"
    with device_with(answers) as device, pytest.raises(DeviceError, match=expected):
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
def test_setting_is_its_value_or_empty(name: str, command: str, output: bytes, value: str) -> None:
    with device_with({shell(command): printed(output)}) as device:
        assert device.setting("secure", name) == value


def test_unusable_answers_are_errors() -> None:
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
def test_clock_reading_spans_one_kernel_tick(uptime: bytes, least_us: int) -> None:
    with device_with({shell("cat /proc/uptime"): printed(uptime)}) as device:
        reading = device.read_clock()
    assert (reading.least_us, reading.most_us) == (least_us, least_us + 10_000)
    assert reading.before_ns < reading.after_ns


LINE = b"[   40371.250000] /dev/input/event12: EV_KEY       KEY_BACK             DOWN                \n"


def test_following_input_ends_with_getevent() -> None:
    received: list[bytes] = []
    with device_with({shell("getevent -lt"): printed(LINE, exit_code=137)}) as device:
        device.follow_input(lambda data, _: received.append(data))
    assert received == [LINE]


@pytest.mark.parametrize("answer", [fail("device offline"), OKAY, OKAY + b"\x01\x05\x00\x00\x00ab"])
def test_input_cut_off_before_getevent_ends_is_a_disconnection(answer: bytes) -> None:
    with device_with({shell("getevent -lt"): answer}) as device, pytest.raises(DeviceDisconnectedError, match=SERIAL):
        device.follow_input(lambda *_: None)


def test_getevent_must_start_in_time_but_may_be_silent() -> None:
    stuck = {shell("getevent -lt"): HANG}
    with device_with(stuck, answer_s=0.1) as device, pytest.raises(DeviceTimeoutError, match=SERIAL):
        device.follow_input(lambda *_: None)
    silent = {shell("getevent -lt"): OKAY + HANG, shell("getevent -lp"): OKAY + HANG}
    with ThreadPoolExecutor(1) as executor, device_with(silent, answer_s=0.1) as device:
        followed = executor.submit(device.follow_input, lambda *_: None)
        for _ in range(3):
            with pytest.raises(DeviceTimeoutError):
                device.input_nodes()
        assert not followed.done()
        device.close()

        assert isinstance(followed.exception(timeout=60), DeviceDisconnectedError)


def test_screen_state_is_read_again_if_the_size_changes() -> None:
    reading = shell("wm size; echo ")
    torn = f"Physical size: 2208x1840\n{PART}\n{PART}\n{PART}\n{PART}\nPhysical size: 1080x2092\n"
    with (
        ScriptedAdbServer({f"{reading}*": printed(torn.encode())}) as server,
        pytest.raises(DeviceError, match="keeps changing its size"),
    ):
        device_of(server).screen_state()

    assert sum(request.startswith(reading) for request in server.requests) == 3
