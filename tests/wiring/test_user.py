"""Services from the settings."""

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.assignment import CleanHome
from odyssey_recorder.model.episode import Actor
from odyssey_recorder.review.review import Move
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.settings import read_settings
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.wiring.user import (
    adb_program,
    annotator_service,
    practice_service,
    recording_service,
    task_queue,
    user_checker,
    user_index,
)
from tests.checking.folders import FIRST, write_dataset
from tests.cli import CommandLine, SimulatedPhone
from tests.dataset.published_episode import recorded, store_of
from tests.tasks.tasks import row, write_list


def test_configured_adb_must_be_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    program = tmp_path / "adb"
    with pytest.raises(SettingsError, match=f"is not a program: {program}"):
        adb_program(read_settings(adb=str(program)))
    program.touch(mode=0o755)
    assert adb_program(read_settings(adb=str(program))) == program
    assert adb_program(read_settings(adb="")).is_file()


def test_annotator_service_uses_the_users_adb_server(phone: SimulatedPhone, cli: CommandLine) -> None:
    with annotator_service(read_settings(annotator="Ada")) as service:
        assert phone.serial in {device.serial for device in service.devices() if device.is_ready}
        assert (service.store.root, service.annotator, service.actor) == (cli.dataset, "Ada", "annotator")
        assert service.can_simulate


@pytest.mark.parametrize(("actor", "snapshots"), [("annotator", "always"), ("script", "never"), ("agent", "never")])
def test_all_recordings_follow_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, actor: Actor, snapshots: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    settings = read_settings(view_trees=False, start="clean home", step_snapshots="always")
    service = recording_service(settings, DeviceConnector(AdbServer(port=1)), actor)
    assert (service.view_hierarchies, service.start, service.snapshots) == (False, CleanHome(), snapshots)


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


def test_all_services_use_one_checker(cli: CommandLine) -> None:
    write_dataset(cli.dataset, FIRST)
    checker = user_checker()
    assert user_checker() is checker
    assert cli("check", cli.dataset).exit_code == 0
    [row] = _rows(user_index(cli.dataset))
    assert row.is_checked, "the index knows what the command found"
    assert checker.known(cli.dataset / annotation_path(FIRST)) is not None


def test_checker_of_other_settings_is_another_one(cli: CommandLine) -> None:
    checker = user_checker()
    for variable in ("HOME", "XDG_CACHE_HOME"):
        cli.monkeypatch.setenv(variable, str(cli.folder / "elsewhere"))
    assert user_checker() is not checker


def _rows(index: EpisodeIndex) -> Sequence[IndexedEpisode]:
    with closing(index):
        index.refresh()
        return index.rows()
