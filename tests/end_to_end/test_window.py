"""An annotator at the real window, through the real adb, on the simulated phone; then the episode is replayed."""

import multiprocessing
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb import find_adb
from odyssey_recorder.gui.record.recording_controller import Phase, RecordingController
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import Episode, TaskInfo
from odyssey_recorder.model.geometry import Pixel, Point, to_grid
from odyssey_recorder.simulator.lab import Lab
from odyssey_recorder.wiring import lab_desk
from tests.command_line import CommandLine
from tests.end_to_end.window_child import Job, record_until_killed
from tests.gui.pilot import Pilot

INSTRUCTION = "Read in Browser how the weather in Oslo will be."
TASK = TaskInfo("General_Tool", ("Browser",), INSTRUCTION, INSTRUCTION, INSTRUCTION)
BOUNDS = re.compile(r"\[(\d+),(\d+)\]\[(\d+),(\d+)\]")

OpenWindow = Callable[[str], AbstractContextManager[Pilot]]
"""Opens the window on the device of this serial, as long as the context lasts."""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab(Path(find_adb())) as started:
        yield started


@pytest.fixture
def serial(lab: Lab) -> str:
    """A phone that was just started."""
    return start_phone(lab)


def start_phone(lab: Lab) -> str:
    return lab.phones.start("small_phone", animation=False)


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts")


@pytest.fixture
def open_window(qtbot: QtBot, lab: Lab, store: EpisodeStore) -> OpenWindow:
    @contextmanager
    def open_on(serial: str) -> Iterator[Pilot]:
        desk = lab_desk(lab, store, actor="annotator", profile="small_phone")
        pilot = Pilot(qtbot, RecordingController(desk), serial)
        try:
            pilot.wait_for_phase(Phase.WATCHING)
            yield pilot
        finally:
            pilot.window.close()
            shiboken6.delete(pilot.window)

    return open_on


class Annotator:
    """Records at the window, looks where things are on the phone, and says what each deed must become."""

    def __init__(self, pilot: Pilot, lab: Lab, serial: str) -> None:
        self.pilot = pilot
        self._lab = lab
        self._serial = serial

    def click(self, label: str) -> Click:
        at = self._middle_of(label)
        self.pilot.click(at.x, at.y)
        return Click(self._recorded_at(at))

    def hold(self, label: str) -> LongPress:
        at = self._middle_of(label)
        self.pilot.hold(at.x, at.y)
        return LongPress(self._recorded_at(at))

    def drag_up(self) -> tuple[Point, Point]:
        """Drag over the middle of the screen; where the drag must begin and end."""
        low, high = Pixel(360, 800), Pixel(360, 420)
        self.pilot.drag_up(low.x, low=low.y, high=high.y)
        return self._recorded_at(low), self._recorded_at(high)

    def type_text(self, text: str) -> Type:
        self.pilot.type_text(text)
        return Type(text)

    def press(self, key: SystemKey) -> Press:
        self.pilot.press(key.value.capitalize())
        return Press(key)

    def _middle_of(self, label: str) -> Pixel:
        """The middle of the first thing on the phone's screen that carries this text or description."""
        said = self._lab.server.adb("-s", self._serial, "exec-out", "uiautomator", "dump", "--windows", "/dev/tty")
        xml = said.stdout.decode().partition("</displays>")
        nodes = ElementTree.fromstring(xml[0] + xml[1]).iter("node")
        found = next(node for node in nodes if label in (node.get("text"), node.get("content-desc")))
        bounds = BOUNDS.fullmatch(found.get("bounds", ""))
        assert bounds is not None
        left, top, right, bottom = map(int, bounds.groups())
        return Pixel((left + right) // 2, (top + bottom) // 2)

    def _recorded_at(self, aim: Pixel) -> Point:
        """Where on the dataset's grid the mouse was when it aimed at `aim`."""
        fit = self.pilot.mirror.fit()
        assert fit is not None
        hit = fit.pixel_at(self.pilot.spot(aim.x, aim.y).toPointF())
        assert hit is not None
        return to_grid(hit, fit.picture)


def the_episode(store: EpisodeStore) -> Episode:
    (episode_id,) = store.episodes()
    return store.load(episode_id)


def test_an_episode_is_recorded_by_mouse_and_keyboard_and_replayed_on_a_fresh_phone(
    open_window: OpenWindow, lab: Lab, serial: str, store: EpisodeStore, command_line: CommandLine
) -> None:
    with open_window(serial) as pilot:
        annotator = Annotator(pilot, lab, serial)
        pilot.start(TASK)
        deeds: list[Callable[[], object]] = [
            lambda: annotator.click("Browser"),
            lambda: annotator.click("Search or type web address"),
            lambda: annotator.type_text("oslo weather"),
            lambda: annotator.click("Go"),
            lambda: annotator.click("Oslo weather: forecast for the week"),
            annotator.drag_up,
            lambda: annotator.hold("Sunday"),
            lambda: annotator.press(SystemKey.HOME),
            lambda: annotator.press(SystemKey.RECENT),
            lambda: annotator.press(SystemKey.BACK),
            lambda: annotator.press(SystemKey.HOME),
        ]
        expected = []
        for number, deed in enumerate(deeds, start=1):
            expected.append(deed())
            pilot.wait_for_steps(number)
        assert "nothing changed" in pilot.views[-1].steps[-1].flag
        pilot.press("Undo last")
        pilot.wait_for_steps(len(deeds) - 1)
        pilot.complete("Rain on Sunday")

    recorded = [step.action for step in the_episode(store).steps]
    drag = recorded[5]
    assert isinstance(drag, Scroll)
    recorded_as_expected = [*recorded[:5], (drag.start, drag.end), *recorded[6:]]
    assert recorded_as_expected == [*expected[:-1], Complete("Rain on Sunday")]

    command_line.use_server(lab.server.port)
    annotation = store.root / "annotations" / f"{the_episode(store).episode_id}.json"
    ran = command_line("replay", annotation, "--device", start_phone(lab))
    assert ran.exit_code == 0, ran.out + ran.err
    assert f"{len(recorded)} match, 0 drift, 0 diverged" in ran.out


def test_a_window_that_is_killed_under_the_finger_leaves_a_draft_that_is_finished_and_published(
    open_window: OpenWindow, lab: Lab, serial: str, store: EpisodeStore, tmp_path: Path
) -> None:
    spawned = multiprocessing.get_context("spawn")
    ours, theirs = spawned.Pipe(duplex=False)
    job = Job(serial, lab.server.port, store.root, tmp_path / "drafts", (Pixel(100, 300), Pixel(500, 300)))
    child = spawned.Process(target=record_until_killed, args=(job, theirs))
    child.start()
    try:
        assert ours.poll(40)
        reported = ours.recv()
    finally:
        child.kill()
        child.join(10)
    assert child.exitcode == -signal.SIGKILL
    assert len(reported) == 2

    with open_window(serial) as pilot:
        pilot.press_in(pilot.dialog(), "Resume")
        pilot.wait_for_steps(2)
        assert pilot.steps == reported
        pilot.press("Home")
        pilot.wait_for_steps(3)
        pilot.complete()

    actions = [step.action for step in the_episode(store).steps]
    assert [type(action) for action in actions[:2]] == [Click, Click]
    assert actions[2:] == [Press(SystemKey.HOME), Complete("")]
    assert store.drafts() == []
