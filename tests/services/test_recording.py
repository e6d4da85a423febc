"""Recordings begun and continued: where they start, what they know of themselves, and where they are kept."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import Origin, StartRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.measured import Measured
from odyssey_recorder.errors import DeviceError, RecordingError
from odyssey_recorder.model.assignment import Assignment, CleanHome, FromSnapshot
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.services.practice import PracticeService, consent_text
from odyssey_recorder.services.recording import PRACTICE_START, DayCount, RecordingService
from tests.dataset.drafts import png, provenance_of, record, write_provenance
from tests.fakes import FakeDevice

TASK = TaskInfo("General_Tool", ("Clock",), "Set {}.", "Set an alarm.", "Set an alarm for seven.")


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts")


@pytest.fixture
def practice_store(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "practice", drafts=tmp_path / "practice" / "drafts")


@pytest.fixture
def service(store: EpisodeStore) -> RecordingService:
    return RecordingService(DeviceConnector(AdbServer(port=1)), store, "Ada")


def start_and_stop(recorder: Recorder) -> None:
    recorder.start()
    recorder.stop()
    recorder.join()


def test_task_begins_in_its_start_state_and_records_it(service: RecordingService) -> None:
    device = FakeDevice(Size(720, 1280))
    device.save_snapshot("shop-open")
    device.show("elsewhere")
    origins: list[Origin] = []
    for start in (FromSnapshot("shop-open"), CleanHome()):
        recorder = service.begin(device, Assignment(TASK, "task-7", start), script.ScriptPlayer())
        start_and_stop(recorder)
        draft = service.store.resume(recorder.episode_id)
        origins.append(draft.origin)
        draft.close()
    assert device.loaded == ["shop-open"]
    assert (device.screen, device.recents) == ("home", ())
    assert [origin.task_id for origin in origins] == ["task-7", "task-7"]
    assert [origin.start for origin in origins] == [
        StartRecord(kind="snapshot", snapshot="shop-open"),
        StartRecord(kind="clean_home"),
    ]


@pytest.mark.parametrize("may_clear", [True, False])
def test_data_of_the_tasks_apps_is_deleted_only_if_the_annotator_agreed(
    service: RecordingService, may_clear: bool
) -> None:
    device = FakeDevice()
    device.installed |= {"com.google.android.gms", "com.odyssey.clock"}
    task = replace(TASK, apps=("Clock", "Google Play services", "Scribbles"))
    player, start = script.ScriptPlayer(), CleanHome(clears_apps=True)
    recorder = service.begin(device, Assignment(task, start=start), player, may_clear=may_clear)
    start_and_stop(recorder)
    record = recorder.origin.start
    assert service.assignment_of(recorder).start == start
    assert device.recents == ()
    if may_clear:
        assert "com.google.android.deskclock" in record.cleared
        assert {*record.cleared} == {*device.asked_to_clear} & device.installed
        assert record.kept == ("Google Play services", "Scribbles")
    else:
        assert (record.cleared, record.kept, device.asked_to_clear) == ((), task.apps, [])


@pytest.mark.parametrize(
    ("measured", "setting", "recorded"), [(480, "1500", 480), (None, "1500", 1500), (None, "", 400), (None, "0", 400)]
)
def test_long_press_time_is_measured_or_set_or_androids_own(
    service: RecordingService, measured: int | None, setting: str, recorded: int
) -> None:
    device = FakeDevice()
    device.known = Measured(long_press_ms=measured)
    device.settings["secure", "long_press_timeout"] = setting
    recorder = service.begin(device, Assignment(TASK), script.ScriptPlayer())
    start_and_stop(recorder)
    assert recorder.long_press_ms == recorded
    assert service.touch_rules(device).long_press_us == recorded * 1000


def test_missing_snapshot_or_practice_service_prevents_recording(service: RecordingService) -> None:
    with pytest.raises(DeviceError, match="shop-open"):
        service.begin(FakeDevice(), Assignment(TASK, start=FromSnapshot("shop-open")), script.ScriptPlayer())
    with pytest.raises(RecordingError, match="Practice episodes cannot be recorded here"):
        service.begin(FakeDevice(), Assignment(TASK, is_practice=True), script.ScriptPlayer())
    assert service.drafts() == []


def test_every_practice_task_begins_from_the_same_snapshot(
    service: RecordingService, practice_store: EpisodeStore, tmp_path: Path
) -> None:
    practice = PracticeService("Ada", ProfileStore(tmp_path / "annotators"), practice_store, wanted=2)
    device, practising = FakeDevice(), replace(service, practice=practice, view_hierarchies=False)
    for screen in ("before", "left by the first attempt"):
        device.show(screen)
        start_and_stop(practising.begin(device, Assignment(TASK, "01", is_practice=True), script.ScriptPlayer()))
        assert device.screen == "home"
    assert device.loaded == [PRACTICE_START.name]
    assert len(practising.drafts()) == 2
    assert service.drafts() == []


def test_today_counts_own_episodes_and_their_time_without_breaks(service: RecordingService, tmp_path: Path) -> None:
    now_us, minute_us = time.time_ns() // 1000, 60_000_000

    def publish(number: int, *, annotator: str = "ada ", ago_us: int = 0) -> None:
        published_us = max(now_us - ago_us, 0)
        begun_us = published_us - 12 * minute_us
        step = record(png(9)).model_copy(update={"touched_us": begun_us + 2 * minute_us})
        last = record(png(9)).model_copy(update={"touched_us": published_us - minute_us})
        known = provenance_of(f"{number:016}", [step, last], annotator=annotator)
        times = {"started_us": begun_us, "published_us": published_us}
        write_provenance(tmp_path / "dataset", known.model_copy(update=times))

    assert service.recorded_today() == DayCount()
    publish(1)
    publish(2)
    publish(3, annotator="Grace")
    publish(4, ago_us=2 * 24 * 60 * minute_us)
    (tmp_path / "dataset" / "provenance" / "0000000000000005.json").write_text("{")
    assert service.recorded_today() == DayCount(2, 2 * 3 * 60.0), "9 minutes between the steps were a break"


def test_draft_resumes_only_on_a_screen_of_its_size(service: RecordingService) -> None:
    device = FakeDevice(Size(720, 1280))
    recorder = service.begin(device, Assignment(TASK), script.ScriptPlayer())
    start_and_stop(recorder)
    with pytest.raises(RecordingError, match=r"was begun on a Small Phone \(720x1280\); fake-1 has 1080x2400"):
        service.resume(FakeDevice(Size(1080, 2400)), recorder.episode_id, script.ScriptPlayer())
    [summary] = service.drafts()
    assert (summary.episode_id, summary.task, summary.steps) == (recorder.episode_id, TASK, 0)
    assert (summary.device.device_name, summary.device.size) == ("Small Phone", Size(720, 1280))
    again = service.resume(device, recorder.episode_id, script.ScriptPlayer())
    assert again.episode_id == recorder.episode_id
    start_and_stop(again)


def test_service_without_a_simulator_explains_how_to_start_one(service: RecordingService) -> None:
    assert not service.can_simulate
    with pytest.raises(DeviceError, match="Run: odyssey-recorder simulate"):
        service.simulate()


def test_practice_episode_is_stored_with_annotator_and_consent(
    service: RecordingService, practice_store: EpisodeStore, tmp_path: Path
) -> None:
    practice = PracticeService("Grace", ProfileStore(tmp_path / "annotators"), practice_store, wanted=1)
    practice.answer_consent("Grace", agreed=True)
    practising = replace(service, practice=practice)
    recorder = practising.begin(FakeDevice(), practice_tasks()[0].assignment, script.ScriptPlayer())
    start_and_stop(recorder)
    draft = practice_store.resume(recorder.episode_id)
    assert (draft.origin.annotator, draft.origin.consent, draft.origin.task_id) == (
        "Grace", consent_text().version, "practice-01-click",
    )  # fmt: skip
    draft.close()
    assert service.store.drafts() == []
