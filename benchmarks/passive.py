"""Passive mode under rapid taps: compares the steps with the simulated emulator's journal."""

import json
import re
import subprocess
import sys
import time
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.memory import Memory
from odyssey_recorder.dataset.draft import DraftStep
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.model.action import Click
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.recording.state import State
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

PROFILE = "small_phone"
"""The only profile whose simulated emulator draws twenty new screens per second."""
PER_SECOND = 20.0
TASK = TaskInfo("General_Tool", ("Calculator",), "Measure.", "Measure.", "Measure.")
_KEYS = "123456789C"
_CALCULATOR = "com.odyssey.calculator"
_SAME_TAP_US = 20_000
_PATIENCE_S = 30.0
_QUIET_S = 15.0


@dataclass(frozen=True, slots=True)
class _Tap:
    """A tap as the emulator saw it: microseconds since 1970, and the hash of the screen at that time."""

    at_us: int
    shown: str


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What the journal says of the steps.

    `wrong` counts frames that differ from the screen at touch-down; `unproved` steps that say so of their frame;
    `wrong_of_these` how many of those are wrong.
    """

    lost: int
    doubled: int
    wrong: int
    unproved: int
    wrong_of_these: int


def measure(emulators: PrivateEmulators, folder: Path, *, taps: int) -> list[Figure]:
    journal = folder / "passive.jsonl"
    serial = emulators.phones.start(PROFILE, animation=False, journal=journal)
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    connector = DeviceConnector(AdbServer(port=emulators.server.port), running=(emulators.phones.running_dir,))
    device = connector.connect(serial)
    emulators.server.adb("-s", serial, "shell", "am", "start", "-n", f"{_CALCULATOR}/.MainActivity")
    places = _places(device.view_hierarchy())
    service = RecordingService(connector, store, "bench", "script")
    recorder = service.begin(device, Assignment(TASK), ScriptPlayer(), "passive")
    recorder.start()
    began_ns = time.monotonic_ns()
    try:
        recorder.wait_for(lambda view: view.state is State.READY and view.frame_number is not None, _PATIENCE_S)
        words = [str(number) for place in places for number in place]
        command = [sys.executable, "-m", "benchmarks.hands", serial, str(emulators.phones.running_dir)]
        hands = subprocess.Popen([*command, str(taps), str(PER_SECOND), *words], stdout=subprocess.PIPE, text=True)
        memory = Memory()
        quiet_since_s, steps = time.monotonic(), 0
        while time.monotonic() - quiet_since_s < _QUIET_S and steps < taps:
            time.sleep(0.5)
            now = len(recorder.view.steps)
            if now != steps:
                quiet_since_s, steps = time.monotonic(), now
                memory.look(steps)
        per_second = float(hands.communicate()[0])
    finally:
        recorder.stop()
        recorder.join()
        device.close()
    draft = store.resume(recorder.episode_id)
    draft.close()
    verdict = _judge(_taps(journal, began_ns), draft.steps)
    of = f"of {taps}"
    return [
        Figure("passive: taps a second", per_second, "/s"),
        Figure("passive: taps lost", verdict.lost, of, goal="0"),
        Figure("passive: taps doubled or invented", verdict.doubled, of, goal="0"),
        Figure("passive: wrong frames among the proved", verdict.wrong, of, goal="0"),
        Figure("passive: steps that say they are not proved", verdict.unproved, of),
        Figure("passive: wrong frames among these", verdict.wrong_of_these, of),
        Figure("memory for each step, passive", memory.kb_each(since=taps // 2), "kB"),
    ]


def _places(view_hierarchy: str) -> list[tuple[int, int]]:
    """Centres of the calculator's keys; each tap shows another frame than the nine before."""
    found: dict[str, tuple[int, int]] = {}
    for node in re.findall(r"<node [^>]*>", view_hierarchy):
        label = re.search(r'(?:text|content-desc)="([1-9]|AC|Clear)"', node)
        bounds = re.search(r'bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', node)
        if label and bounds:
            left, top, right, bottom = map(int, bounds.groups())
            found["C" if len(label[1]) > 1 else label[1]] = (left + right) // 2, (top + bottom) // 2
    return [found[key] for key in _KEYS]


def _taps(journal: Path, since_ns: int) -> list[_Tap]:
    offset_ns = time.time_ns() - time.monotonic_ns()
    hashes: dict[int, str] = {}
    taps: list[_Tap] = []
    for line in journal.open():
        entry = json.loads(line)
        if "rgb_sha256" in entry:
            hashes[entry["frame"]] = entry["rgb_sha256"]
        elif entry["input"].startswith("touch down") and entry["t_ns"] >= since_ns:
            taps.append(_Tap((entry["t_ns"] + offset_ns) // 1000, hashes[entry["frame"]]))
    return taps


def _judge(taps: list[_Tap], steps: tuple[DraftStep, ...]) -> _Verdict:
    felt = [0] * len(taps)
    wrong = unproved = wrong_of_these = invented = 0
    for step in steps:
        after = bisect_left(taps, step.record.touched_us, key=lambda tap: tap.at_us)
        near = [number for number in (after - 1, after) if 0 <= number < len(taps)]
        nearest = min(near, key=lambda number: abs(taps[number].at_us - step.record.touched_us))
        if not isinstance(step.action, Click) or abs(taps[nearest].at_us - step.record.touched_us) > _SAME_TAP_US:
            invented += 1
            continue
        felt[nearest] += 1
        is_wrong = step.record.frame.rgb_sha256 != taps[nearest].shown
        is_proved = step.record.check is not None
        wrong += is_wrong and is_proved
        unproved += not is_proved
        wrong_of_these += is_wrong and not is_proved
    doubled = sum(count - 1 for count in felt if count > 1) + invented
    return _Verdict(felt.count(0), doubled, wrong, unproved, wrong_of_these)
