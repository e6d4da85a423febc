import json
import socket
from contextlib import closing

import pytest

from tests.cli import wait_until
from tests.simulator.bench import TOKEN_FILE, Bench, StartBench


class Telnet:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def command(self, line: str) -> list[str]:
        self.socket.sendall(f"{line}\n".encode())
        return self.read_reply()

    def read_reply(self) -> list[str]:
        lines: list[str] = []
        while not lines or not (lines[-1] == "OK" or lines[-1].startswith("KO: ")):
            line = self.file.readline()
            if not line:
                return [*lines, "(hung up)"]
            assert line.endswith(b"\r\n")
            lines.append(line.decode().removesuffix("\r\n"))
        return lines


def test_console_requires_the_token_from_the_home_folder(bench: Bench) -> None:
    token_file = bench.server.home / TOKEN_FILE
    with closing(Telnet(bench.emulator.console_port)) as telnet:
        greeting = telnet.read_reply()
        assert greeting[0] == "Android Console: Authentication required"
        assert f"'{token_file}'" in greeting
        assert telnet.command("avd name")[0].startswith("KO: ")
        assert telnet.command("auth wrong")[0].startswith("KO: ")
        welcome = telnet.command(f"auth {token_file.read_text()}")
        assert welcome == ["Android Console: type 'help' for a list of commands", "OK"]
        assert telnet.command("avd name") == ["Simulated_small_phone", "OK"]
        assert telnet.command("quit") == ["(hung up)"]


def test_missing_token_is_recreated_without_following_links(bench: Bench) -> None:
    token_file = bench.server.home / TOKEN_FILE
    victim = bench.server.home / "victim"
    token_file.unlink()
    token_file.symlink_to(victim)

    with closing(Telnet(bench.emulator.console_port)) as telnet:
        telnet.read_reply()
        assert telnet.command(f"auth {token_file.read_text()}")[-1] == "OK"
    assert not token_file.is_symlink()
    assert not victim.exists()


def test_help_lists_commands_and_unknown_ones_are_rejected(bench: Bench) -> None:
    assert bench.console("avd", "name") == ["Simulated_small_phone", "OK"]
    assert {"avd", "event", "fault", "fold", "rotate", "sensor"} <= {line.strip() for line in bench.console("help")}
    assert bench.console("explode") == ["KO: unknown command, try 'help'"]


def test_facts_contain_app_data_and_settings(bench: Bench) -> None:
    line, ok = bench.console("facts")
    facts = json.loads(line)
    assert ok == "OK"
    assert "Packing list" in [note["title"] for note in facts["notes"]["notes"]]
    assert facts["settings"]["system"]["screen_off_timeout"] == "60000"


def test_snapshots_are_saved_loaded_listed_and_deleted(start_bench: StartBench) -> None:
    bench = start_bench()
    assert bench.console("avd", "snapshot", "list") == ["There is no snapshot available.", "OK"]
    assert bench.console("avd", "snapshot", "load", "upright") == [
        "KO: Device 'encrypt' does not have the requested snapshot 'upright'",
        "KO: Snapshot load failure: snapshot doesn't exist",
    ]
    assert bench.console("avd", "snapshot", "save", "upright") == ["OK"]
    bench.console("rotate")
    assert (bench.phone.state().rotation, bench.phone.screen().held) == (0, 1)
    bench.shell("settings put system accelerometer_rotation 1")
    assert bench.phone.state().rotation == 1

    assert bench.console("avd", "snapshot", "load", "upright") == ["OK"]

    bench.wait_for_new_connection()
    assert (bench.phone.state().rotation, bench.phone.screen().held) == (0, 0)
    assert bench.console("avd", "snapshot", "list")[2].split()[:2] == ["--", "upright"]
    assert bench.console("avd", "snapshot", "delete", "upright") == ["OK"]


def test_snapshot_restores_apps_files_settings_posture_and_clock(fold: Bench) -> None:
    queries = "dumpsys activity recents; cat /sdcard/Download/note; settings get system font_scale; wm size"
    fold.shell(
        "am start -n com.android.settings/.Settings; am start -n com.odyssey.notes/.App; echo 1 > /sdcard/Download/note"
    )
    before, uptime_s = fold.shell(queries), fold.uptime_s()
    fold.console("avd", "snapshot", "save", "open")
    saved_by_s = fold.uptime_s()
    fold.shell(
        "am force-stop com.android.settings; echo 22 > /sdcard/Download/note; settings put system font_scale 1.3"
    )
    fold.console("fold")
    fold.emulator.guest.clock.jump(1000)

    assert fold.console("avd", "snapshot", "load", "open") == ["OK"]

    fold.wait_for_new_connection()
    assert fold.shell(queries) == before
    assert uptime_s <= fold.uptime_s() < saved_by_s + 900


def test_loading_a_snapshot_lifts_fingers_and_ends_getevent(fresh_bench: Bench) -> None:
    phone, guest = fresh_bench.phone, fresh_bench.emulator.guest
    guest.window_touch(300, 900, pressed=True)
    fresh_bench.console("avd", "snapshot", "save", "held")
    before = phone.screen()

    with fresh_bench.getevent("-lt") as events:
        fresh_bench.console("avd", "snapshot", "load", "held")
        assert events.process.wait(60) != 0

    after = phone.screen()
    assert after.rgba == before.rgba
    assert after.number > before.number
    assert after.shown_ns > before.shown_ns
    assert guest.touch_screen().contacts() == {}


def test_snapshot_failures_can_be_simulated(fresh_bench: Bench) -> None:
    fresh_bench.console("avd", "snapshot", "save", "kept")
    fresh_bench.console("fault", "refuse-snapshots", "on")

    for verb in ("save", "load"):
        failure = [f"KO: Snapshot {verb} failure: no space left on device"]
        assert fresh_bench.console("avd", "snapshot", verb, "kept") == failure

    fresh_bench.console("fault", "clear")
    assert fresh_bench.console("avd", "snapshot", "save", "another") == ["OK"]


def test_slow_snapshot_saving_freezes_the_shell(fresh_bench: Bench) -> None:
    fresh_bench.console("fault", "snapshot-delay", "2000")  # long enough to be seen on a busy computer

    with fresh_bench.running("emu", "avd", "snapshot", "save", "slow") as saving:
        wait_until(lambda: fresh_bench.emulator.faults.frozen)
        assert fresh_bench.shell("echo still here") == "still here\n"
        assert not fresh_bench.emulator.faults.frozen
        assert saving.wait(60) == 0


def test_foldable_is_folded_and_unfolded(fold: Bench) -> None:
    assert fold.console("fold") == ["OK"]
    assert fold.shell("wm size; cmd device_state print-state") == "Physical size: 1080x2092\n0\n"
    assert fold.console("sensor", "get", "hinge-angle0") == ["hinge-angle0 = 0", "OK"]

    assert fold.console("sensor", "set", "hinge-angle0", "90") == ["OK"]
    assert fold.shell("cmd device_state print-state") == "1\n"
    assert fold.console("unfold") == ["OK"]
    assert fold.shell("wm size; cmd device_state print-state") == "Physical size: 2208x1840\n2\n"


def test_builds_of_the_emulator_can_be_chosen(fresh_bench: Bench) -> None:
    control = fresh_bench.emulator.faults.control
    for command in ("outer-size on", "first-node on", "turned 3", "bent 40", "old-token on"):
        assert fresh_bench.console("fault", "grpc", *command.split()) == ["OK"]
    assert (control.knows_outer_panel, control.uses_first_node, control.frame_turns) == (True, True, 3)
    assert (control.bend_px, control.file_is_outdated) == (40, True)
    assert fresh_bench.console("fault", "clear") == ["OK"]
    assert (control.knows_outer_panel, control.uses_first_node, control.frame_turns) == (False, False, 0)
    assert (control.bend_px, control.file_is_outdated) == (0, False)


def test_foldable_follows_how_it_is_held_unless_its_rotation_is_locked(fold: Bench) -> None:
    fold.console("rotate")
    assert (fold.phone.state().rotation, fold.phone.screen().held) == (1, 1)
    fold.shell("wm user-rotation lock 0")
    fold.console("rotate")
    assert (fold.phone.state().rotation, fold.phone.screen().held) == (0, 2)
    fold.shell("wm user-rotation free")
    assert fold.phone.state().rotation == 2


def test_fold_has_no_answer_on_a_phone_and_sensors_keep_their_values(fresh_bench: Bench) -> None:
    assert fresh_bench.console("fold") == [], "a real console says nothing either"
    assert fresh_bench.console("sensor", "get", "hinge-angle0") == ["KO: unknown sensor name: hinge-angle0"]
    assert fresh_bench.console("sensor", "set", "light", "12") == ["OK"]
    assert fresh_bench.console("sensor", "get", "light") == ["light = 12", "OK"]


@pytest.mark.parametrize(
    "line",
    [
        *("event send EV_KEY", "event send EV_KEY:NO_SUCH_KEY:1", "event mouse 1", "event text é", "event"),
        *("fault", "fault explode", "fault freeze soon", "fault cut-frame many", "fault refuse-input x"),
        *("fault clock-jump inf", "fault syn-dropped x", "fault field-limit", "fault second-display"),
    ],
)
def test_invalid_event_or_fault_is_rejected(bench: Bench, line: str) -> None:
    assert bench.console(*line.split())[0].startswith("KO: ")


def test_kill_is_reported_to_the_owner_of_the_emulator(start_bench: StartBench) -> None:
    bench = start_bench()
    bench.console("kill")
    assert bench.emulator.killed.wait(60)
