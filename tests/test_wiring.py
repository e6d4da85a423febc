import json
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import Origin, StartRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector, chosen_device
from odyssey_recorder.errors import DeviceError, RecordingError, SettingsError
from odyssey_recorder.model.assignment import Assignment, CleanHome, FromSnapshot
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.review.review import Move
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.practice import PracticeService, consent_text
from odyssey_recorder.services.recording import PRACTICE_START, RecordingService
from odyssey_recorder.settings import read_settings
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.wiring import (
    adb_program,
    annotator_service,
    lab_inventory,
    lab_service,
    language_model,
    practice_service,
    task_queue,
)
from tests.cli import CommandLine, LabPhone
from tests.dataset.published_episode import recorded, store_of
from tests.device.scripted_adb_server import ScriptedAdbServer, block
from tests.fakes import FakeDevice
from tests.tasks.tasks import row, write_list

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


@pytest.mark.parametrize(
    ("listed", "serial", "expected"),
    [
        ("emulator-5600 offline\nemulator-5602 device product:x model:y\n", None, "emulator-5602"),
        ("emulator-5600 device\nemulator-5602 device\n", "emulator-5602", "emulator-5602"),
    ],
)
def test_ready_or_named_device_is_chosen(listed: str, serial: str | None, expected: str) -> None:
    with ScriptedAdbServer({"host:devices-l": block(listed)}) as server:
        assert chosen_device(AdbServer(port=server.port).devices(), serial) == expected


@pytest.mark.parametrize(
    ("listed", "serial", "message"),
    [
        ("emulator-5600 device\n", "pixel", r"does not list the device pixel\. It lists emulator-5600\."),
        ("", "pixel", r"does not list the device pixel\. It lists no devices\."),
        ("emulator-5600 unauthorized\n", None, r"No device is ready\. emulator-5600 is unauthorized\. Start an"),
        (
            "emulator-5600 device\nemulator-5602 device\n",
            None,
            r"2 devices are ready\. Choose one with --device \(emulator-5600, emulator-5602\)",
        ),
    ],
)
def test_missing_or_ambiguous_device_is_explained(listed: str, serial: str | None, message: str) -> None:
    server = ScriptedAdbServer({"host:devices-l": block(listed)})
    with server, pytest.raises(DeviceError, match=message):
        chosen_device(AdbServer(port=server.port).devices(), serial)


def test_configured_adb_must_be_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    program = tmp_path / "adb"
    with pytest.raises(SettingsError, match=f"is not a program: {program}"):
        adb_program(read_settings(adb=str(program)))
    program.touch(mode=0o755)
    assert adb_program(read_settings(adb=str(program))) == program
    assert adb_program(read_settings(adb="")).is_file()


def test_simulated_emulator_keeps_snapshots(lab_phone: LabPhone, store: EpisodeStore) -> None:
    device = lab_service(lab_phone.lab, store, actor="script", profile="small_phone").connect(lab_phone.serial)
    assert device.keeps_snapshots
    assert "never saved" not in device.snapshots()
    device.close()


def test_lab_inventory_has_only_simulated_emulators(lab_phone: LabPhone, store: EpisodeStore) -> None:
    connector = lab_service(lab_phone.lab, store, actor="annotator", profile="small_phone").connector
    inventory = lab_inventory(lab_phone.lab, connector)
    listing = inventory.listing()
    assert lab_phone.serial in {member.serial for member in listing.members if member.is_ready and member.simulated}
    assert [member.avd for member in listing.members if member.avd] == []
    assert [finding.found for finding in listing.missing] == ["left alone by the demo"]
    assert inventory.can_simulate


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


def test_annotator_service_uses_the_users_adb_server(phone: LabPhone, cli: CommandLine) -> None:
    with annotator_service(read_settings(annotator="Ada")) as service:
        assert phone.serial in {device.serial for device in service.devices() if device.is_ready}
        assert (service.store.root, service.annotator, service.actor) == (cli.dataset, "Ada", "annotator")
        assert service.can_simulate


def test_practice_is_stored_next_to_the_drafts_and_renames_the_annotator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("ODYSSEY_ANNOTATOR", raising=False)
    drafts = tmp_path / "data" / "drafts"
    practice = practice_service(read_settings(drafts=drafts, annotator="Ada", practice_tasks=3))
    assert practice.store.root == tmp_path / "data" / "practice"
    welcome = practice.answer_consent("Grace", agreed=True)
    assert (welcome.name, welcome.status.left) == ("Grace", 3)
    assert read_settings(drafts=drafts).annotator == "Grace"
    assert len(list((tmp_path / "data" / "annotators").iterdir())) == 1


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


def test_episode_sent_back_returns_to_its_recorders_queue(tmp_path: Path) -> None:
    episode = recorded(tmp_path)
    provenance = episode.root / "provenance" / f"{episode.episode_id}.json"
    tree = json.loads(provenance.read_text())
    tree["origin"] |= {"annotator": "Ann", "task_id": "task-1"}
    provenance.write_text(json.dumps(tree))
    source = write_list(tmp_path / "tasks.jsonl", [row("other"), row("task-1")])

    def queue_of(name: str) -> TaskQueue:
        return task_queue(source, store_of(episode), lambda: name, drafts=tmp_path / "drafts")

    with closing(queue_of("ann")) as queue:
        queue.mark_recorded("task-1", episode.episode_id)
        move = Move(id="a" * 32, at=datetime.now(UTC), by="Bea", to="annotator", why="A step is missing, at step 3")
        ReviewStore(episode.root).append(episode.episode_id, move)
        offered = queue.claim_next()
        assert offered is not None
        assert (offered.task_id, offered.reason) == ("task-1", "A step is missing, at step 3")
    with closing(queue_of("bob")) as bob:
        assert bob.board().count(Status.SENT_BACK) == 1


def test_missing_language_model_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "odyssey_recorder.llm.openai", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(SettingsError, match=r"need the package openai: pip install 'odyssey-recorder\[llm\]'"):
        language_model(read_settings(model="gpt-5"))
