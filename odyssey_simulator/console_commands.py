"""The console's commands: snapshots, postures, input as through the emulator's window, faults."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.evdev import Change
from odyssey_simulator.evdev_names import EV_ABS, EV_KEY, EV_SYN, code_named
from odyssey_simulator.faults import Faults, FrameFault, WindowsOption
from odyssey_simulator.guest import Guest, Snapshot

_HINGE_DEGREES: Mapping[str, float] = {"CLOSED": 0, "HALF_OPENED": 90, "OPENED": 180, "REAR_DISPLAY_MODE": 180}
_SENSORS: Mapping[str, str] = {
    "acceleration": "0:9.77622:0.813417",
    "gyroscope": "0:0:0",
    "magnetic-field": "0:5.9:-48.4",
    "orientation": "0:0:0",
    "temperature": "0",
    "proximity": "1",
    "light": "0",
    "pressure": "0",
    "humidity": "0",
}
_BACK_KEY = 0x9E
_LEFT_BUTTON, _RIGHT_BUTTON = 1, 2
_FAULT_USAGE = (
    "fault offline | online | freeze SECONDS|on|off | screencap-delay MS | cut-frame [N] | black-frame [N]"
    " | drop-in-frame [N] | kill-getevent | syn-dropped [N] | clock-jump SECONDS | refuse-input on|off"
    " | refuse-snapshots on|off | hold-posture on|off | snapshot-delay MS | anr | not-responding | app-error"
    " | second-display on|off | secure on|off | virtio-tablet on|off"
    " | windows-option known|ignored|refused | other-automation on|off | hide-root on|off | deny-getevent on|off"
    " | paste-limit N | field-limit N | sticky-keyboard on|off | long-press MS | clear"
    " | grpc off|on | grpc stall on|off | grpc drop | grpc refuse on|off | grpc new-token | grpc old-token on|off"
    " | grpc delay MS | grpc outer-size on|off | grpc first-node on|off | grpc turned QUARTERS | grpc bent PIXELS"
)

_COUNTED_FAULTS = {"syn-dropped", *(kind.value for kind in FrameFault)}
"""Those of which one is the default."""


class ConsoleError(ValueError):
    """The text follows `KO: `."""


@dataclass(frozen=True, slots=True)
class _Saved:
    content: Snapshot
    saved_s: float = field(default_factory=time.time)


class ConsoleCommands:
    """Runs one command at a time, on any thread; calls to the phone may block it."""

    def __init__(self, guest: Guest) -> None:
        self.on_kill: Callable[[], None] = lambda: None
        self._guest = guest
        self._snapshots: dict[str, _Saved] = {}
        self._sensors = dict(_SENSORS)
        self._plain_faults = {**_plain_faults(guest), "clear": self._clear_faults}
        self._switched_faults = _switched_faults(guest)
        self._faults_by_number = _faults_by_number(guest)
        self._table: dict[str, Callable[[Sequence[str]], str | None]] = {
            "avd": self._avd,
            "event": self._event,
            "facts": lambda _: json.dumps(self._guest.phone.facts()),
            "fault": self._fault,
            "fold": lambda _: self._or_silence(lambda: self._hold("CLOSED")),
            "help": self._help,
            "kill": self._kill,
            "ping": lambda _: "I am alive!",
            "rotate": lambda _: self._or_silence(self._rotate),
            "sensor": self._sensor,
            "unfold": lambda _: self._or_silence(lambda: self._hold("OPENED")),
        }

    def run(self, line: str) -> str | None:
        """The reply to `line` without its `OK`, or a `KO: ` line; None for no answer, as to an empty line."""
        arguments = line.split()
        if not arguments:
            return None
        command = self._table.get(arguments[0])
        if command is None:
            return "KO: unknown command, try 'help'"
        try:
            # Text to type is the only argument in which spaces count.
            text = line.split(maxsplit=2)[2:] if arguments[:2] == ["event", "text"] else arguments[2:]
            return command([*arguments[1:2], *text])
        except (ConsoleError, SimulatorError, LookupError, ValueError, OverflowError) as error:
            return f"KO: {error}"

    def _help(self, _: Sequence[str]) -> str:
        return "\r\n".join(["Android console command help:", "", *(f"    {name}" for name in self._table), "    quit"])

    def _kill(self, _: Sequence[str]) -> str:
        self.on_kill()
        return "OK: killing emulator, bye bye"

    def _or_silence(self, act: Callable[[], str]) -> str | None:
        """A real console says nothing if the device cannot be turned or folded."""
        if self._guest.faults.holds_posture:
            return None
        try:
            return act()
        except SimulatorError:
            return None

    def _rotate(self) -> str:
        self._guest.phone.tilt()
        return ""

    def _hold(self, posture: str) -> str:
        self._guest.phone.set_posture(posture)
        return ""

    def _avd(self, arguments: Sequence[str]) -> str:
        match arguments:
            case ["name"]:
                return self._guest.avd_name
            case ["discoverypath"] if self._guest.discovery_file is not None:
                return str(self._guest.discovery_file)
            case ["status"]:
                return "virtual device is running"
            case ["snapshot", "list"]:
                return self._list_snapshots()
            case ["snapshot", "save", name]:
                self._stand_still("save")
                self._snapshots[name] = _Saved(self._guest.save_snapshot())
            case ["snapshot", "load", name]:
                self._load_snapshot(name)
            case ["snapshot", "delete" | "del", name]:
                if self._snapshots.pop(name, None) is None:
                    raise ConsoleError(f"Device 'encrypt' does not have the requested snapshot '{name}'")
            case _:
                raise ConsoleError("bad sub-command: name, discoverypath, status, snapshot list|save|load|delete")
        return ""

    def _list_snapshots(self) -> str:
        if not self._snapshots:
            return "There is no snapshot available."
        lines = [
            "List of snapshots present on all disks:",
            "ID        TAG                 VM SIZE                DATE       VM CLOCK",
        ]
        for name, snapshot in self._snapshots.items():
            saved = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(snapshot.saved_s))
            clock = time.strftime("%H:%M:%S", time.gmtime(snapshot.content.nodes.time_ns / 1e9))
            lines.append(f"--        {name:<20} {'0M':>6} {saved}   {clock}.000")
        return "\r\n".join(lines)

    def _load_snapshot(self, name: str) -> None:
        if name not in self._snapshots:
            raise ConsoleError(
                f"Device 'encrypt' does not have the requested snapshot '{name}'\r\n"
                "KO: Snapshot load failure: snapshot doesn't exist"
            )
        self._stand_still("load")
        self._guest.load_snapshot(self._snapshots[name].content)

    def _stand_still(self, why: str) -> None:
        faults = self._guest.faults
        if faults.refuses_snapshots:
            raise ConsoleError(f"Snapshot {why} failure: no space left on device")
        if faults.snapshot_delay_s and not faults.frozen:
            faults.freeze()
            time.sleep(faults.snapshot_delay_s)
            faults.thaw()

    def _sensor(self, arguments: Sequence[str]) -> str:
        posture = self._guest.phone.state().posture
        match arguments:
            case ["status"]:
                return "\r\n".join(f"{name}: enabled." for name in self._sensors)
            case ["get", "hinge-angle0"] if posture is not None:
                return f"hinge-angle0 = {_HINGE_DEGREES[posture.name]:g}"
            case ["set", "hinge-angle0", angle] if posture is not None:
                degrees = float(angle)
                self._hold("CLOSED" if degrees < 30 else "HALF_OPENED" if degrees < 150 else "OPENED")
            case ["get", name] if name in self._sensors:
                return f"{name} = {self._sensors[name]}"
            case ["set", name, value] if name in self._sensors:
                self._sensors[name] = value
            case ["get" | "set", name, *_]:
                raise ConsoleError(f"unknown sensor name: {name}")
            case _:
                raise ConsoleError("bad sub-command: status, get NAME, set NAME VALUE")
        return ""

    def _event(self, arguments: Sequence[str]) -> str:
        match arguments:
            case ["mouse", x, y, _, buttons]:
                self._guest.window_touch(float(x), float(y), pressed=bool(int(buttons) & _LEFT_BUTTON))
                if int(buttons) & _RIGHT_BUTTON:
                    self._guest.window_key(_BACK_KEY)
            case ["text", text]:
                self._guest.window_text(text)
            case ["send", first, *others]:
                self._send([_change(word) for word in (first, *others)])
            case _:
                raise ConsoleError("bad sub-command: mouse X Y DEVICE BUTTONS, text TEXT, send TYPE:CODE:VALUE ...")
        return ""

    def _send(self, changes: Sequence[Change]) -> None:
        for is_key, together in groupby(changes, key=lambda change: change[0] == EV_KEY):
            if is_key:
                for _, code, value in together:
                    self._guest.report_key(code, value)
            else:
                axes = [change for change in together if change[0] == EV_ABS]
                if axes:
                    self._guest.report_touch(self._guest.touch_screen(), axes)

    def _fault(self, arguments: Sequence[str]) -> str:
        line = " ".join(arguments)
        name, _, value = line.rpartition(" ")
        if line in self._plain_faults:
            self._plain_faults[line]()
        elif name in self._switched_faults and value in {"on", "off"}:
            self._switched_faults[name](value == "on")
        elif name in self._faults_by_number:
            self._faults_by_number[name](float(value))
        elif line in _COUNTED_FAULTS:
            self._faults_by_number[line](1)
        else:
            raise ConsoleError(f"usage: {_FAULT_USAGE}")
        return ""

    def _clear_faults(self) -> None:
        self._guest.faults.clear()
        self._guest.nodes.lose_reports(0)
        self._guest.nodes.has_tablet = False
        self._guest.phone.limit_text()
        self._guest.phone.own_long_press()
        self._guest.phone.forbid_screenshots(forbidden=False)


def _plain_faults(guest: Guest) -> dict[str, Callable[[], None]]:
    faults, control = guest.faults, guest.faults.control
    return {
        "offline": faults.go_offline,
        "online": faults.go_online,
        "freeze on": faults.freeze,
        "freeze off": faults.thaw,
        "kill-getevent": faults.kill_getevent,
        "anr": lambda: faults.keep_anr(guest.phone.state()),
        "not-responding": lambda: guest.phone.fail_app("Application Not Responding"),
        "app-error": lambda: guest.phone.fail_app("Application Error"),
        "grpc off": lambda: control.switch_off(off=True),
        "grpc on": lambda: control.switch_off(off=False),
        "grpc drop": control.drop_streams,
        "grpc new-token": lambda: control.renew_token(),
        **{f"windows-option {way.value}": partial(setattr, faults, "windows_option", way) for way in WindowsOption},
    }


def _switched_faults(guest: Guest) -> dict[str, Callable[[bool], None]]:
    faults, control = guest.faults, guest.faults.control
    return {
        "refuse-input": lambda on: faults.refuse_input(refuse=on),
        "refuse-snapshots": lambda on: faults.refuse_snapshots(refuse=on),
        "hold-posture": lambda on: faults.hold_posture(hold=on),
        "second-display": lambda on: faults.plug_second_display(plugged=on),
        "other-automation": lambda on: faults.take_automation(taken=on),
        "deny-getevent": partial(setattr, faults, "denies_getevent"),
        "sticky-keyboard": lambda on: setattr(faults.keyboards, "sticky", on),
        "hide-root": lambda on: faults.hide_root(hidden=on),
        "virtio-tablet": lambda on: setattr(guest.nodes, "has_tablet", on),
        "secure": lambda on: guest.phone.forbid_screenshots(forbidden=on),
        "grpc stall": lambda on: control.stall(stalled=on),
        "grpc refuse": lambda on: control.refuse(refuse=on),
        "grpc old-token": lambda on: control.outdate_file(outdated=on),
        "grpc outer-size": partial(setattr, control, "knows_outer_panel"),
        "grpc first-node": partial(setattr, control, "uses_first_node"),
    }


def _faults_by_number(guest: Guest) -> dict[str, Callable[[float], None]]:
    faults, phone = guest.faults, guest.phone
    return {
        **{kind.value: partial(_spoil_frames, faults, kind) for kind in FrameFault},
        "freeze": faults.freeze,
        "screencap-delay": lambda milliseconds: faults.delay_screencap(milliseconds / 1000),
        "snapshot-delay": lambda milliseconds: faults.delay_snapshots(milliseconds / 1000),
        "grpc delay": lambda milliseconds: faults.control.delay_frames(milliseconds / 1000),
        "grpc turned": lambda quarters: setattr(faults.control, "frame_turns", int(quarters)),
        "grpc bent": lambda pixels: setattr(faults.control, "bend_px", int(pixels)),
        "long-press": lambda milliseconds: phone.own_long_press(milliseconds / 1000),
        "syn-dropped": lambda count: guest.nodes.lose_reports(int(count)),
        "clock-jump": guest.clock.jump,
        "paste-limit": lambda letters: phone.limit_text(pasted=int(letters)),
        "field-limit": lambda letters: phone.limit_text(held=int(letters)),
    }


def _spoil_frames(faults: Faults, kind: FrameFault, count: float) -> None:
    faults.spoil_frames(kind, int(count))


def _change(word: str) -> Change:
    """Parses an event such as `EV_ABS:ABS_MT_SLOT:0` or `3:47:0`; numbers may be C literals."""
    parts = word.split(":")
    if len(parts) == 2:
        parts.append("0")
    if len(parts) != 3:
        raise ConsoleError(f"invalid event '{word}': TYPE:CODE:VALUE")
    named = code_named(parts[1])
    types = {"EV_SYN": EV_SYN, "EV_KEY": EV_KEY, "EV_ABS": EV_ABS}
    event_type = types.get(parts[0])
    return (
        int(parts[0], 0) if event_type is None else event_type,
        int(parts[1], 0) if named is None else named[1],
        int(parts[2], 0),
    )
