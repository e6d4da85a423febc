"""A recorded click: how long its input waits for its frame, and steps per minute of a script."""

import statistics
import time
from io import BytesIO
from pathlib import Path

from benchmarks.figure import Figure, timed
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.files import write_durably
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.script import Command, PressKey, ScriptPlayer, Tap
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.demo import demo_service

CLICKS = 15
FINGER_S = 0.1
PATIENCE_S = 30.0
TASK = TaskInfo("General_Tool", ("Settings",), "Measure.", "Measure.", "Measure.")


def measure(device: AdbDevice, emulators: PrivateEmulators, folder: Path) -> list[Figure]:
    service, player = demo_service(emulators, folder, actor="script", profile=""), ScriptPlayer()
    recorder = service.begin(device, Assignment(TASK), player)
    recorder.start()
    try:
        for _ in range(CLICKS):
            _click(recorder, finger_s=0.0)
        for _ in range(CLICKS):
            _click(recorder, finger_s=FINGER_S)
        per_minute = _steps_per_minute(recorder, player)
    finally:
        recorder.stop()
        recorder.join()
    waits = _waits(service.store)
    added_ms = 1000 * (statistics.median(waits[CLICKS : 2 * CLICKS]) - FINGER_S)
    frame = device.capture()
    write_ms = statistics.median(timed(lambda: _write(frame, folder)) for _ in range(CLICKS))
    at_once_ms = 1000 * statistics.median(waits[:CLICKS])
    return [
        Figure("touch-down until the input goes out", at_once_ms, "ms", "PNG to file", write_ms, "<= 3"),
        Figure("added wait, finger down 100 ms", added_ms, goal="none"),
        Figure("steps of a script without waits", per_minute, "a minute"),
    ]


def _click(recorder: Recorder, *, finger_s: float) -> None:
    view = recorder.wait_for(lambda view: view.state is State.READY, PATIENCE_S)
    assert view.frame_number is not None
    recorder.touch_down(view.frame_number)
    time.sleep(finger_s)
    recorder.lift(TouchStroke.press(Pixel(700, 1700), duration_ms=int(finger_s * 1000)))
    done = len(view.steps) + 1
    recorder.wait_for(lambda view: view.state is State.READY and len(view.steps) == done, PATIENCE_S)


def _waits(store: EpisodeStore) -> list[float]:
    """Seconds from touch-down until the input was sent, from the steps' records."""
    draft = store.resume(store.drafts()[0].episode_id)
    draft.close()
    records = [step.record for step in draft.steps]
    return [(record.sent_us - record.touched_us) / 1e6 for record in records if record.sent_us is not None]


def _steps_per_minute(recorder: Recorder, player: ScriptPlayer) -> float:
    home, recent = PressKey(key="HOME"), PressKey(key="RECENT")
    commands: tuple[Command, ...] = (Tap(tap=(700, 1700)), home, recent, home) * 5
    started = time.perf_counter()
    for command in commands:
        player.perform(command, recorder)
    return 60 * len(commands) / (time.perf_counter() - started)


def _write(frame: Frame, folder: Path) -> None:
    buffer = BytesIO()
    frame.image().save(buffer, "PNG", compress_level=1)
    write_durably(folder / "frame.png", buffer.getvalue())
