"""All kinds of failures with the real adb: the annotator is told, nothing is lost, recording continues."""

import hashlib
import multiprocessing
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.recording.session import CHANGED
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import PUBLISHING
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.faults import FrameFault
from tests.dataset.drafts import begin, store_in
from tests.end_to_end.laboratory import Laboratory
from tests.end_to_end.recording_child import Job, all_reports, record_on_a_full_disk
from tests.recording.recording_bench import PATIENCE_S, Recording, RecordingBench, pixels


class Scene:
    def __init__(self, lab: Laboratory, service: RecordingBench, recording: Recording) -> None:
        self.lab = lab
        self.service = service
        self.recording = recording
        self._used = 0

    def tap(self) -> None:
        place = self.lab.place(self._used)
        self._used += 1
        self.recording.touch_down()
        self.recording.recorder.lift(TouchStroke.press(place))

    def tap_and_wait(self) -> None:
        steps = len(self.recording.ready().steps)
        self.tap()
        self.recording.ready(steps=steps + 1)

    def loses_the_device(self) -> str:
        before = len(self.recording.draft.steps)
        view = self.recording.until(State.DEVICE_LOST)
        assert len(view.steps) == before
        return view.message

    def publish(self) -> None:
        self.recording.ready()
        self.recording.recorder.complete("done")
        self.recording.until(State.FINISHED)
        self.assert_true()

    def assert_true(self) -> None:
        episode = self.service.store.load(self.recording.draft.episode_id)
        taps = self.lab.taps()
        assert len(episode.steps) == len(taps) + 1
        for number, tap in enumerate(taps):
            picture = pixels(self.service.store.screenshot_path(episode, number))
            assert hashlib.sha256(picture.tobytes()).hexdigest() == tap.shown, f"step {number}"


@pytest.fixture
def service(tmp_path: Path) -> RecordingBench:
    return RecordingBench(tmp_path)


@pytest.fixture
def scene(lab: Laboratory, service: RecordingBench) -> Iterator[Scene]:
    with service.recording(lab.device(answer_s=1.5)) as recording:
        scene = Scene(lab, service, recording)
        scene.tap_and_wait()
        scene.tap_and_wait()
        yield scene


def test_a_device_that_is_gone_and_comes_back(scene: Scene) -> None:
    scene.lab.emulator.faults.go_offline()
    message = scene.loses_the_device()
    assert scene.lab.serial in message
    assert "Start it" in message or "start it" in message, message
    scene.lab.emulator.faults.go_online()
    scene.lab.bring_back()
    scene.tap_and_wait()
    scene.publish()


def test_a_device_that_freezes_and_thaws(scene: Scene) -> None:
    scene.lab.emulator.faults.freeze()
    message = scene.loses_the_device()
    assert scene.lab.serial in message
    assert "did not answer" in message
    scene.lab.emulator.faults.thaw()
    scene.tap_and_wait()
    scene.publish()


def test_an_adb_server_that_is_killed_and_started_again(scene: Scene, adb_server: PrivateAdbServer) -> None:
    adb_server.stop()
    try:
        scene.recording.recorder.wait_for(lambda view: "adb start-server" in view.message, PATIENCE_S)
    finally:
        adb_server.start()
    scene.lab.bring_back()
    scene.tap_and_wait()
    scene.publish()


def test_a_connection_that_breaks_in_the_middle_of_a_picture(scene: Scene) -> None:
    scene.lab.emulator.faults.spoil_frames(FrameFault.DROP)
    assert scene.lab.serial in scene.loses_the_device()
    scene.lab.bring_back()
    scene.tap_and_wait()
    scene.publish()


def test_a_picture_that_is_cut_short_is_never_recorded(scene: Scene) -> None:
    scene.lab.emulator.faults.spoil_frames(FrameFault.CUT)
    message = scene.loses_the_device()
    assert scene.lab.serial in message
    assert "bytes" in message
    scene.tap_and_wait()
    scene.publish()


def test_a_black_picture_is_a_change_of_the_screen_and_no_tap_is_recorded_with_it(scene: Scene) -> None:
    scene.recording.touch_down()
    scene.lab.emulator.faults.spoil_frames(FrameFault.BLACK)
    scene.recording.annotator.wait(lambda: _is_black(scene.recording.annotator.newest))
    scene.recording.recorder.lift(TouchStroke.press(scene.lab.place(99)))
    scene.recording.annotator.await_notice(CHANGED)
    scene.tap_and_wait()
    scene.publish()


def test_an_input_that_is_refused_leaves_no_step(scene: Scene) -> None:
    scene.lab.emulator.faults.refuse_input(refuse=True)
    scene.tap()
    notice = scene.recording.annotator.await_notice("refused the input")
    assert scene.lab.serial in notice
    scene.recording.ready(steps=2)
    scene.lab.emulator.faults.refuse_input(refuse=False)
    scene.tap_and_wait()
    scene.publish()


def test_a_dataset_folder_that_is_taken_away_and_brought_back(scene: Scene) -> None:
    root = scene.service.store.root
    aside = root.rename(root.with_name("aside"))
    scene.recording.ready()
    scene.recording.recorder.complete("done")
    message = scene.recording.until(State.STORAGE_LOST).message
    assert str(root) in message
    assert "Bring it back" in message
    assert [draft.steps for draft in scene.service.store.drafts()] == [0], "the one that is open here"
    aside.rename(root)
    scene.recording.until(State.FINISHED)  # by itself
    scene.assert_true()
    assert PUBLISHING in [view.message for view in scene.recording.annotator.views]


def test_a_file_in_the_place_of_the_dataset_folder(scene: Scene) -> None:
    root = scene.service.store.root
    shutil.rmtree(root)
    root.write_text("a file")
    scene.recording.ready()
    scene.recording.recorder.complete("done")
    message = scene.recording.until(State.STORAGE_LOST).message
    assert str(root) in message
    assert root.read_text() == "a file"
    root.unlink()
    root.mkdir()
    scene.recording.until(State.FINISHED)
    scene.assert_true()


def test_an_episode_that_could_not_be_published_is_published_by_the_next_recorder(
    lab: Laboratory, scene: Scene
) -> None:
    root = scene.service.store.root
    aside = root.rename(root.with_name("aside"))
    scene.recording.ready()
    scene.recording.recorder.complete("done")
    scene.recording.until(State.STORAGE_LOST)
    scene.recording.recorder.stop()
    scene.recording.recorder.join()
    aside.rename(root)
    [offered] = scene.service.store.drafts()
    assert (offered.steps, offered.complete, offered.problem) == (3, True, "")
    with scene.service.recording(lab.device(), scene.service.store.resume(offered.episode_id)) as again:
        again.until(State.FINISHED)
    scene.assert_true()


def test_an_input_during_which_the_device_went_away_is_kept_or_taken_away_as_the_phone_felt_it(scene: Scene) -> None:
    for _ in range(3):
        scene.tap()
        scene.recording.recorder.wait_for(lambda view: view.state is State.INJECTING, 20)
        scene.lab.emulator.faults.go_offline()
        scene.recording.until(State.DEVICE_LOST)
        scene.lab.emulator.faults.go_online()
        scene.lab.bring_back()
        scene.recording.ready()
        assert len(scene.recording.draft.steps) == len(scene.lab.taps())
    scene.publish()


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX")
def test_a_disk_that_is_full_twice(lab: Laboratory, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    draft = begin(store)
    draft.close()
    taps = tuple(lab.places(0, 4))
    job = Job(lab.serial, lab.server.port, store.root, tmp_path / "drafts", draft.episode_id, taps)
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=record_on_a_full_disk, args=(job, theirs))
    child.start()
    theirs.close()
    with ours:
        reports = all_reports(ours)
    child.join(60)
    assert child.exitcode == 0
    problems = [report for report in reports if report.state is State.STORAGE_LOST]
    assert {report.message.partition(" cannot be written: ")[2] for report in problems} == {
        "no room is left there. Free some space."
    }
    assert str(tmp_path / "drafts") in problems[0].message
    assert str(store.root) in problems[-1].message
    assert problems[0].steps == 2, "the tap whose picture was safe was recorded and sent"
    episode = store.load(draft.episode_id)
    assert len(episode.steps) == 5
    for number, tap in enumerate(lab.taps()):
        picture = pixels(store.screenshot_path(episode, number))
        assert hashlib.sha256(picture.tobytes()).hexdigest() == tap.shown


def _is_black(frame: Frame | None) -> bool:
    return frame is not None and frame.image().getextrema() == ((0, 0),) * 3
