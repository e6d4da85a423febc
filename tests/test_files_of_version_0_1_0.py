import hashlib
import json
from pathlib import Path
from shutil import copyfile, copytree

import pytest

from odyssey_recorder.model.action import action_type
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.resources import data_folder
from odyssey_recorder.review.review import Fix, Verdict
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.settings import SettingsStore, settings_file
from tests.cli import CommandLine

WRITTEN = Path(__file__).parent / "data" / "version_0_1_0"
MIRROR, PASSIVE = "3000225904679416", "4420741455138992"
FIXED, ACCEPTED, REJECTED = "5691934704285808", "3955443691573217", "5499618172761658"


@pytest.fixture
def old_data(cli: CommandLine) -> CommandLine:
    copytree(WRITTEN / "dataset", cli.dataset)
    copytree(WRITTEN / "drafts", cli.drafts)
    for head in cli.drafts.glob("*/draft.json"):
        tree = json.loads(head.read_text("utf-8"))
        head.write_text(json.dumps({**tree, "dataset": str(cli.dataset)}), "utf-8")
    return cli


def test_dataset_passes_the_checks(old_data: CommandLine) -> None:
    result = old_data("check", old_data.dataset)
    assert result.exit_code == 0
    assert "3 episodes: 0 errors" in result.out


def test_reviews_are_read_with_verdicts_and_fixes(old_data: CommandLine) -> None:
    assert old_data("reviews", "check", "--dataset", old_data.dataset).exit_code == 0
    store = ReviewStore(old_data.dataset)
    kinds = {name: [type(entry) for entry in store.read(name).entries] for name in (FIXED, ACCEPTED, REJECTED)}
    assert kinds == {FIXED: [Fix, Verdict], ACCEPTED: [Verdict], REJECTED: [Verdict]}


def test_drafts_are_listed_and_resumed(old_data: CommandLine) -> None:
    assert {draft.episode_id: draft.steps for draft in old_data.store.drafts()} == {MIRROR: 2, PASSIVE: 0}
    draft = old_data.store.resume(MIRROR)
    assert [action_type(step.action) for step in draft.steps] == ["CLICK", "HOME"]
    assert all(step.screenshot.is_file() for step in draft.steps)
    draft.close()


def test_queue_keeps_recorded_tasks(old_data: CommandLine) -> None:
    name = hashlib.sha256(str(old_data.dataset).encode()).hexdigest()[:16]
    (old_data.folder / "queue").mkdir()
    copyfile(WRITTEN / "queue.sqlite", old_data.folder / "queue" / f"{name}.sqlite")
    old_data.monkeypatch.setenv("ODYSSEY_TASKS", str(data_folder("tasks") / "demonstrations.jsonl"))
    result = old_data("tasks", "list", "--json")
    assert result.exit_code == 0
    statuses = [task["status"] for task in json.loads(result.out)]
    assert len(statuses) == 3
    assert "Waiting" not in statuses


def test_settings_and_profiles_are_read(old_data: CommandLine) -> None:
    settings_file().parent.mkdir(parents=True)
    copyfile(WRITTEN / "settings.toml", settings_file())
    settings = SettingsStore().read()
    assert (settings.annotator, settings.capture, settings.theme, settings.practice_tasks) == ("Ann", "adb", "dark", 3)
    profile = ProfileStore(WRITTEN / "annotators").load("Ann")
    assert [attempt.value for attempt in profile.attempts] == [100]
    assert profile.agrees_to("1")
