import json
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from odyssey_recorder.connector import DeviceConnector, chosen_device
from odyssey_recorder.dataset.provenance import Origin, StartRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.errors import DatasetError, DeviceError, RecordingError, SettingsError
from odyssey_recorder.model.assignment import Assignment, CleanHome, FromSnapshot
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.service import PracticeService, consent_text
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.quality.reviewing.review import Move
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording_service import PRACTICE_START, RecordingService
from odyssey_recorder.settings import read_settings
from odyssey_recorder.task.queue.board import Status
from odyssey_recorder.task.queue.queue import TaskQueue
from odyssey_recorder.wiring import (
    adb_program,
    annotator_service,
    lab_inventory,
    lab_service,
    language_model,
    practice_service,
    task_queue,
)
from tests.command_line import CommandLine, LabPhone
from tests.dataset.published_episode import recorded, store_of
from tests.device.scripted_adb_server import ScriptedAdbServer, block
from tests.fakes import FakeDevice
from tests.task.tasks import row, write_list

TASK = TaskInfo("General_Tool", ("Clock",), "Set {}.", "Set an alarm.", "Set an alarm for seven.")


@pytest.fixture
def service(tmp_path: Path) -> RecordingService:
    return RecordingService(
        DeviceConnector(AdbServer(port=1)), EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts"), "Ada"
    )


def put_aside(recorder: Recorder) -> None:
    recorder.start()
    recorder.stop()
    recorder.join()


@pytest.mark.parametrize(
    ("listed", "serial", "chosen"),
    [
        ("emulator-5600 offline\nemulator-5602 device product:x model:y\n", None, "emulator-5602"),
        ("emulator-5600 device\nemulator-5602 device\n", "emulator-5602", "emulator-5602"),
    ],
)
def test_the_device_to_use_is_the_one_that_is_ready_or_named(listed: str, serial: str | None, chosen: str) -> None:
    with ScriptedAdbServer({"host:devices-l": block(listed)}) as server:
        assert chosen_device(AdbServer(port=server.port).devices(), serial) == chosen


@pytest.mark.parametrize(
    ("listed", "serial", "words"),
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
def test_where_no_device_can_be_used_it_is_said_why(listed: str, serial: str | None, words: str) -> None:
    server = ScriptedAdbServer({"host:devices-l": block(listed)})
    with server, pytest.raises(DeviceError, match=words):
        chosen_device(AdbServer(port=server.port).devices(), serial)


def test_an_adb_that_is_set_must_be_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    program = tmp_path / "adb"
    with pytest.raises(SettingsError, match=f"is not a program: {program}"):
        adb_program(read_settings(adb=str(program)))
    program.touch(mode=0o755)
    assert adb_program(read_settings(adb=str(program))) == program
    assert adb_program(read_settings(adb="")).is_file()


def test_a_device_whose_console_can_be_asked_keeps_snapshots(lab_phone: LabPhone, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts")
    device = lab_service(lab_phone.lab, store, actor="script", profile="small_phone").connect(lab_phone.serial)
    assert device.keeps_snapshots
    assert "never saved" not in device.snapshots()
    device.close()


def test_the_yard_of_a_laboratory_has_its_phones_and_leaves_the_users_virtual_devices_alone(
    lab_phone: LabPhone, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts")
    connector = lab_service(lab_phone.lab, store, actor="annotator", profile="small_phone").connector
    inventory = lab_inventory(lab_phone.lab, connector)
    listing = inventory.listing()
    assert lab_phone.serial in {member.serial for member in listing.members if member.is_ready and member.simulated}
    assert [member.avd for member in listing.members if member.avd] == []
    assert [finding.found for finding in listing.missing] == ["left alone by the demo"]
    assert inventory.can_simulate


def test_a_task_begins_where_it_says_and_the_provenance_tells(service: RecordingService) -> None:
    device = FakeDevice(Size(720, 1280))
    device.save_snapshot("shop-open")
    device.show("elsewhere")
    origins: list[Origin] = []
    for start in (FromSnapshot("shop-open"), CleanHome()):
        recorder = service.begin(device, Assignment(TASK, "task-7", start), script.ScriptPlayer())
        put_aside(recorder)
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


def test_a_task_without_its_snapshot_and_practice_without_its_room_are_not_begun(service: RecordingService) -> None:
    with pytest.raises(DeviceError, match="shop-open"):
        service.begin(FakeDevice(), Assignment(TASK, start=FromSnapshot("shop-open")), script.ScriptPlayer())
    with pytest.raises(RecordingError, match="Practice episodes cannot be recorded here"):
        service.begin(FakeDevice(), Assignment(TASK, is_practice=True), script.ScriptPlayer())
    assert service.drafts() == []


def test_each_practice_task_begins_from_what_the_first_began_from(service: RecordingService, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "practice", drafts=tmp_path / "practice" / "drafts")
    room = PracticeService("Ada", ProfileStore(tmp_path / "annotators"), store, wanted=2)
    device, practising = FakeDevice(), replace(service, practice=room, view_hierarchies=False)
    for screen in ("before", "left by the first attempt"):
        device.show(screen)
        put_aside(practising.begin(device, Assignment(TASK, "01", is_practice=True), script.ScriptPlayer()))
        assert device.screen == "home"
    assert device.loaded == [PRACTICE_START.name]
    assert len(practising.drafts()) == 2
    assert service.drafts() == []


def test_a_draft_says_what_it_is_and_goes_on_only_on_a_screen_of_its_size(service: RecordingService) -> None:
    device = FakeDevice(Size(720, 1280))
    recorder = service.begin(device, Assignment(TASK), script.ScriptPlayer())
    put_aside(recorder)
    with pytest.raises(RecordingError, match=r"was begun on a Small Phone \(720x1280\); fake-1 has 1080x2400"):
        service.resume(FakeDevice(Size(1080, 2400)), recorder.episode_id, script.ScriptPlayer())
    [summary] = service.drafts()
    assert (summary.episode_id, summary.task, summary.steps) == (recorder.episode_id, TASK, 0)
    assert (summary.device.device_name, summary.device.size) == ("Small Phone", Size(720, 1280))
    again = service.resume(device, recorder.episode_id, script.ScriptPlayer())
    assert again.episode_id == recorder.episode_id
    put_aside(again)


def test_a_draft_that_is_discarded_is_in_the_trash(service: RecordingService, tmp_path: Path) -> None:
    recorder = service.begin(FakeDevice(), Assignment(TASK), script.ScriptPlayer())
    put_aside(recorder)
    service.discard(recorder.episode_id)
    assert service.drafts() == []
    assert [path.name.split("-")[0] for path in (tmp_path / "drafts" / "trash").iterdir()] == [recorder.episode_id]
    with pytest.raises(DatasetError):
        service.discard(recorder.episode_id)


def test_a_desk_without_phones_of_its_own_says_how_to_get_one(service: RecordingService) -> None:
    assert not service.can_simulate
    with pytest.raises(DeviceError, match="Run: odyssey-recorder simulate"):
        service.simulate()


def test_the_desk_of_the_window_is_at_the_user_s_own_adb_server(phone: LabPhone, command_line: CommandLine) -> None:
    with annotator_service(read_settings(annotator="Ada")) as service:
        assert phone.serial in {device.serial for device in service.devices() if device.is_ready}
        assert (service.store.root, service.annotator, service.actor) == (command_line.dataset, "Ada", "annotator")
        assert service.can_simulate


def test_practice_is_beside_the_drafts_and_a_new_name_goes_into_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("ODYSSEY_ANNOTATOR", raising=False)
    drafts = tmp_path / "data" / "drafts"
    room = practice_service(read_settings(drafts=drafts, annotator="Ada", practice_tasks=3))
    assert room.store.root == tmp_path / "data" / "practice"
    welcome = room.answer_consent("Grace", agreed=True)
    assert (welcome.name, welcome.status.left) == ("Grace", 3)
    assert read_settings(drafts=drafts).annotator == "Grace"
    assert len(list((tmp_path / "data" / "annotators").iterdir())) == 1


def test_a_practice_episode_goes_to_its_own_place_with_who_recorded_and_what_they_agreed_to(
    service: RecordingService, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "practice", drafts=tmp_path / "practice" / "drafts")
    room = PracticeService("Grace", ProfileStore(tmp_path / "annotators"), store, wanted=1)
    room.answer_consent("Grace", agreed=True)
    practising = replace(service, practice=room)
    recorder = practising.begin(FakeDevice(), practice_tasks()[0].assignment, script.ScriptPlayer())
    put_aside(recorder)
    draft = store.resume(recorder.episode_id)
    assert (draft.origin.annotator, draft.origin.consent, draft.origin.task_id) == (
        "Grace", consent_text().version, "practice-01-click",
    )  # fmt: skip
    draft.close()
    assert service.store.drafts() == []


def test_what_a_reviewer_elsewhere_sends_back_waits_again_in_its_recorders_queue(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    provenance = there.root / "provenance" / f"{there.episode_id}.json"
    told = json.loads(provenance.read_text())
    told["origin"] |= {"annotator": "Ann", "task_id": "task-1"}
    provenance.write_text(json.dumps(told))
    source = write_list(tmp_path / "tasks.jsonl", [row("other"), row("task-1")])

    def queue_of(name: str) -> TaskQueue:
        return task_queue(source, store_of(there), lambda: name, drafts=tmp_path / "drafts")

    with closing(queue_of("ann")) as queue:
        queue.mark_recorded("task-1", there.episode_id)
        move = Move(id="a" * 32, at=datetime.now(UTC), by="Bea", to="annotator", why="A step is missing, at step 3")
        ReviewStore(there.root).append(there.episode_id, move)
        offered = queue.claim_next()
        assert offered is not None
        assert (offered.task_id, offered.reason) == ("task-1", "A step is missing, at step 3")
    with closing(queue_of("bob")) as bob:
        assert bob.board().count(Status.SENT_BACK) == 1


def test_without_the_package_for_language_models_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "odyssey_recorder.llm.openai", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(SettingsError, match=r"need the package openai: pip install 'odyssey-recorder\[llm\]'"):
        language_model(read_settings(model="gpt-5"))
