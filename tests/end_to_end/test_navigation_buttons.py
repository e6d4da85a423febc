"""The taskbar of tablets and unfolded foldables: its buttons are keys, its apps are clicks, in both modes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, SystemKey
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.foreign_input import TELL_UNEXPLAINED
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.faults import WindowsOption
from tests.end_to_end.recording_setup import PATIENCE_S, RecordingSetup, kinds_of, ready, recording_setup

SETTINGS = "com.android.settings"
TOUR = ("Mail", "Overview", "Back", "Photos", "Home")
"""Descriptions of views in the taskbar."""
KEYS = {"Back": SystemKey.BACK, "Home": SystemKey.HOME, "Overview": SystemKey.RECENT}
ACTIONS = [Click, Press(SystemKey.RECENT), Press(SystemKey.BACK), Click, Press(SystemKey.HOME), Complete]


@dataclass(frozen=True)
class Recorded:
    actions: Sequence[Action]
    kinds: Sequence[Action | type[Action]]
    screenshots: Sequence[bytes]
    provenance: EpisodeProvenance


def in_bar(setup: RecordingSetup, label: str) -> Pixel:
    bar = setup.emulator.phone.windows()[0].root
    box = next(node.bounds for node in bar.walk() if label in {node.text, node.content_desc})
    return Pixel(*box.center)


def act(setup: RecordingSetup, recorder: Recorder, mode: Mode, label: str) -> None:
    at = in_bar(setup, label)
    if mode == "passive":
        setup.window.touch(TouchStroke.press(at))
    elif label in KEYS:
        recorder.press(KEYS[label])
    else:
        recorder.touch_down(ready(recorder).frame_number or 0)
        recorder.lift(TouchStroke.press(at))


def record(setup: RecordingSetup, mode: Mode, rotation: int) -> Recorded:
    setup.emulator.phone.set_rotation(rotation)
    setup.emulator.phone.start_activity(SETTINGS)
    setup.wait_until_still()
    with setup.recording(mode) as (recorder, annotator):
        for number, label in enumerate(TOUR, start=1):
            setup.wait_until_read(recorder)
            act(setup, recorder, mode, label)
            recorder.wait_for(lambda view, number=number: len(view.steps) == number, PATIENCE_S)  # type: ignore[misc]
        setup.wait_until_read(recorder)
        episode, provenance = setup.finish(recorder)
        assert set(annotator.notices) <= {TELL_UNEXPLAINED}, "a busy computer may draw an effect only after 5 seconds"
    store = setup.service.store
    kinds = [
        action if isinstance(action := step.action, Press) else kind
        for step, kind in zip(episode.steps, kinds_of(episode), strict=True)
    ]
    screenshots = [
        (store.root / screenshot_path(episode.episode_id, number)).read_bytes() for number in range(len(episode.steps))
    ]
    # A finger may rest on a busy computer.
    actions = [Click(one.point) if isinstance(one := step.action, LongPress) else one for step in episode.steps]
    return Recorded(actions, kinds, screenshots, provenance)


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / str(number) for number in range(9))


@pytest.mark.parametrize(
    ("profile", "rotation"),
    [
        ("pixel_fold", 1),
        *(
            pytest.param(*one, marks=pytest.mark.soak)
            for one in (("pixel_fold", 0), ("pixel_tablet", 0), ("pixel_tablet", 1))
        ),
    ],
)
def test_buttons_and_apps_of_a_taskbar_are_the_same_steps_in_both_modes(
    adb_server: PrivateAdbServer, folders: Iterator[Path], profile: str, rotation: int
) -> None:
    recorded: dict[Mode, Recorded] = {}
    for mode in ("mirror", "passive"):
        with recording_setup(adb_server, next(folders), profile=profile) as setup:
            recorded[mode] = record(setup, mode, rotation)

    mirror, passive = recorded["mirror"], recorded["passive"]
    assert mirror.kinds == passive.kinds == ACTIONS
    assert mirror.actions == passive.actions
    assert mirror.screenshots == passive.screenshots
    for one in recorded.values():
        codes = {flag.code for step in one.provenance.steps for flag in step.flags}
        assert not codes & {FlagCode.OTHER_EFFECT, FlagCode.NO_KEY}
        mail, *_ = one.provenance.steps
        assert mail.bbox is not None, "the icon of an app in the bar"
        assert mail.bbox[3] - mail.bbox[1] < 160


@pytest.mark.parametrize(
    ("way", "languages"),
    [
        pytest.param(WindowsOption.IGNORED, "en-US", marks=pytest.mark.soak),
        (WindowsOption.REFUSED, ""),
        (WindowsOption.IGNORED, "ar-EG,en-US"),
    ],
)
def test_taskbar_is_known_without_a_dump_of_all_windows(
    adb_server: PrivateAdbServer, folders: Iterator[Path], way: WindowsOption, languages: str
) -> None:
    """In Arabic it is mirrored. If another launcher is the home app, the recent apps are an activity of their own."""
    with recording_setup(adb_server, next(folders), profile="pixel_tablet") as setup:
        if way is WindowsOption.REFUSED:
            setup.emulator.phone.show_recents_apart()
        setup.emulator.phone.put_setting("system", "system_locales", languages)
        setup.emulator.faults.windows_option = way
        passive = record(setup, "passive", 0)

    assert passive.kinds == ACTIONS
    assert all(step.bbox is None for step in passive.provenance.steps), "no view of the app is beneath the bar"
