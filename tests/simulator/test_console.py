import json
import socket

import pytest

from tests.simulator.bench import TOKEN_FILE, Bench, Launch


class Telnet:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> "Telnet":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def say(self, line: str) -> None:
        self.socket.sendall(f"{line}\n".encode())

    def answer(self) -> list[str]:
        lines: list[str] = []
        while not lines or not (lines[-1] == "OK" or lines[-1].startswith("KO: ")):
            line = self.file.readline()
            if not line:
                return [*lines, "(hung up)"]
            assert line.endswith(b"\r\n")
            lines.append(line.decode().removesuffix("\r\n"))
        return lines


def test_the_console_asks_for_the_token_of_the_users_home(bench: Bench) -> None:
    token_file = bench.server.home / TOKEN_FILE
    with Telnet(bench.emulator.console_port) as telnet:
        greeting = telnet.answer()
        telnet.say("avd name")
        without = telnet.answer()
        telnet.say("auth wrong")
        wrong = telnet.answer()
        telnet.say(f"auth {token_file.read_text()}")
        right = telnet.answer()
        telnet.say("avd name")
        name = telnet.answer()
        telnet.say("quit")
        assert telnet.answer() == ["(hung up)"]

    assert greeting[0] == "Android Console: Authentication required"
    assert f"'{token_file}'" in greeting
    assert without[0].startswith("KO: ")
    assert wrong[0].startswith("KO: ")
    assert right == ["Android Console: type 'help' for a list of commands", "OK"]
    assert name == ["Simulated_small_phone", "OK"]


def test_a_token_that_was_taken_away_is_made_anew_and_no_link_leads_it_elsewhere(bench: Bench) -> None:
    token_file = bench.server.home / TOKEN_FILE
    victim = bench.server.home / "victim"
    token_file.unlink()
    token_file.symlink_to(victim)

    with Telnet(bench.emulator.console_port) as telnet:
        telnet.answer()
        telnet.say(f"auth {token_file.read_text()}")
        assert telnet.answer()[-1] == "OK"
    assert not token_file.is_symlink()
    assert not victim.exists()


def test_help_names_the_commands_and_an_unknown_one_is_refused(bench: Bench) -> None:
    assert bench.console("avd", "name") == ["Simulated_small_phone", "OK"]
    assert {"avd", "event", "fault", "fold", "rotate", "sensor"} <= {line.strip() for line in bench.console("help")}
    assert bench.console("explode") == ["KO: unknown command, try 'help'"]


def test_the_facts_are_what_the_apps_know_and_the_settings(bench: Bench) -> None:
    line, ok = bench.console("facts")
    facts = json.loads(line)
    assert ok == "OK"
    assert "Packing list" in [note["title"] for note in facts["notes"]["notes"]]
    assert facts["settings"]["system"]["screen_off_timeout"] == "60000"


def test_snapshots_bring_the_phone_back_and_are_listed_and_deleted(start: Launch) -> None:
    bench = start()
    assert bench.console("avd", "snapshot", "list") == ["There is no snapshot available.", "OK"]
    assert bench.console("avd", "snapshot", "load", "upright") == [
        "KO: Device 'encrypt' does not have the requested snapshot 'upright'",
        "KO: Snapshot load failure: snapshot doesn't exist",
    ]
    assert bench.console("avd", "snapshot", "save", "upright") == ["OK"]
    bench.console("rotate")
    assert bench.emulator.phone.state().rotation == 1

    assert bench.console("avd", "snapshot", "load", "upright") == ["OK"]

    bench.adb("wait-for-device")
    assert bench.emulator.phone.state().rotation == 0
    assert bench.console("avd", "snapshot", "list")[2].split()[:2] == ["--", "upright"]
    assert bench.console("avd", "snapshot", "delete", "upright") == ["OK"]


def test_a_snapshot_holds_apps_texts_posture_settings_files_and_the_clock(fold: Bench) -> None:
    asked = "dumpsys activity recents; cat /sdcard/Download/note; settings get system font_scale; wm size"
    fold.shell(
        "am start -n com.android.settings/.Settings; am start -n com.odyssey.notes/.App; echo 1 > /sdcard/Download/note"
    )
    before, uptime_s = fold.shell(asked), fold.uptime_s()
    fold.console("avd", "snapshot", "save", "open")
    saved_by_s = fold.uptime_s()
    fold.shell(
        "am force-stop com.android.settings; echo 22 > /sdcard/Download/note; settings put system font_scale 1.3"
    )
    fold.console("fold")
    fold.emulator.guest.clock.jump(1000)

    assert fold.console("avd", "snapshot", "load", "open") == ["OK"]

    fold.adb("wait-for-device")
    assert fold.shell(asked) == before
    assert uptime_s <= fold.uptime_s() < saved_by_s + 900


def test_loading_shows_a_new_frame_lifts_the_fingers_and_drops_who_follows_the_input(own: Bench) -> None:
    phone, guest = own.emulator.phone, own.emulator.guest
    guest.window_touch(300, 900, pressed=True)
    own.console("avd", "snapshot", "save", "held")
    before = phone.screen()

    with own.running("shell", "getevent -lt") as getevent:
        assert getevent.stdout is not None
        getevent.stdout.readline()
        own.console("avd", "snapshot", "load", "held")
        assert getevent.wait(10) != 0

    after = phone.screen()
    assert after.rgba == before.rgba
    assert after.number > before.number
    assert after.shown_ns > before.shown_ns
    assert guest.touch_screen().contacts() == {}


def test_snapshots_are_refused_on_request(own: Bench) -> None:
    own.console("avd", "snapshot", "save", "kept")
    own.console("fault", "refuse-snapshots", "on")

    for verb in ("save", "load"):
        refused = [f"KO: Snapshot {verb} failure: no space left on device"]
        assert own.console("avd", "snapshot", verb, "kept") == refused

    own.console("fault", "clear")
    assert own.console("avd", "snapshot", "save", "another") == ["OK"]


def test_saving_takes_its_time_on_request_and_the_shell_waits(own: Bench) -> None:
    own.console("fault", "snapshot-delay", "300")

    with own.running("emu", "avd", "snapshot", "save", "slow") as saving:
        while not own.emulator.faults.frozen:
            assert saving.poll() is None
        assert own.shell("echo still here") == "still here\n"
        assert not own.emulator.faults.frozen
        assert saving.wait(10) == 0


def test_a_foldable_is_folded_and_opened(fold: Bench) -> None:
    assert fold.console("fold") == ["OK"]
    assert fold.shell("wm size; cmd device_state print-state") == "Physical size: 1080x2092\n0\n"
    assert fold.console("sensor", "get", "hinge-angle0") == ["hinge-angle0 = 0", "OK"]

    assert fold.console("sensor", "set", "hinge-angle0", "90") == ["OK"]
    assert fold.shell("cmd device_state print-state") == "1\n"
    assert fold.console("unfold") == ["OK"]
    assert fold.shell("wm size; cmd device_state print-state") == "Physical size: 2208x1840\n2\n"


def test_what_does_not_fold_says_so_and_other_sensors_keep_what_they_are_set_to(own: Bench) -> None:
    assert own.console("fold")[0].startswith("KO: ")
    assert own.console("sensor", "get", "hinge-angle0") == ["KO: unknown sensor name: hinge-angle0"]
    assert own.console("sensor", "set", "light", "12") == ["OK"]
    assert own.console("sensor", "get", "light") == ["light = 12", "OK"]


@pytest.mark.parametrize("line", ["send EV_KEY", "send EV_KEY:NO_SUCH_KEY:1", "mouse 1", "text é", ""])
def test_bad_events_are_refused(bench: Bench, line: str) -> None:
    assert bench.console("event", *line.split())[0].startswith("KO: ")


def test_kill_is_passed_on_to_who_runs_the_emulator(start: Launch) -> None:
    bench = start()
    bench.console("kill")

    assert bench.emulator.killed.wait(5)
