from pathlib import Path

import pytest

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError, PracticeError
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.services.practice import PracticeService, consent_text
from tests.episodes import ID
from tests.practice.attempts import publish
from tests.practice.test_trail import record

FIRST = practice_tasks()[0].task_id
SCREENS = (
    ("com.android.launcher3", "Settings"), ("com.android.settings", "Display"), ("com.android.settings", "Night light")
)  # fmt: skip
"""Of a perfect attempt at the first task: the app and a text of each screen."""


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "practice", drafts=tmp_path / "practice" / "drafts")


def service_for(store: EpisodeStore, name: str = "ada", *, wanted: int = 10) -> PracticeService:
    return PracticeService(name, ProfileStore(store.root.parent / "annotators"), store, wanted=wanted)


def test_new_annotator_has_consent_and_all_tasks_open(store: EpisodeStore) -> None:
    welcome = service_for(store).welcome()
    assert (welcome.name, welcome.must_ask, welcome.agrees, welcome.status.left) == ("ada", True, False, 10)
    assert [service_for(store, wanted=number).welcome().status.left for number in (0, 3, 99)] == [0, 3, 10]


def test_consent_is_stored_with_name_and_version(store: EpisodeStore) -> None:
    service = service_for(store)
    assert service.agreed_version == ""
    welcome = service.answer_consent(" Ada  Lovelace ", agreed=True)
    assert (welcome.name, welcome.agrees, welcome.must_ask) == ("Ada Lovelace", True, False)
    assert (service.annotator, service.agreed_version) == ("Ada Lovelace", consent_text().version)
    again = service_for(store, "Ada Lovelace")
    assert again.welcome().agrees
    assert again.agreed_version == consent_text().version
    assert service_for(store, "ada").welcome().must_ask
    refused = again.answer_consent("Ada Lovelace", agreed=False)
    assert (refused.agrees, refused.must_ask, again.agreed_version) == (False, False, "")


def test_attempt_is_scored_from_its_files_and_kept(store: EpisodeStore) -> None:
    service = service_for(store)
    records = [record(number, package=app) for number, (app, _) in enumerate(SCREENS)]
    trees = [
        f'<hierarchy><node package="{app}" text="{text}" bounds="[0,0][9,9]"/></hierarchy>' for app, text in SCREENS
    ]
    episode_id = publish(store, [Click(Point(1, 1)), Click(Point(2, 2)), Complete("")], records, trees)
    result = service.score_attempt(FIRST, episode_id, hints=1)
    assert (result.value, result.missed) == (99, ())
    assert service_for(store).welcome().status.best == {FIRST: 99}
    assert service_for(store).welcome().status.left == 9
    assert service_for(store, "bo").welcome().status.best == {}
    store.ui_tree_path(episode_id, 1).unlink()
    assert service.score_attempt(FIRST, episode_id, hints=0).is_passed, "a lost view hierarchy is no failure"
    with pytest.raises(PracticeError, match="no practice task practice-99"):
        service.score_attempt("practice-99", episode_id, hints=0)
    (store.root / "provenance" / f"{ID}.json").unlink()
    with pytest.raises(DatasetError, match="has incomplete provenance"):
        service.score_attempt(FIRST, episode_id, hints=0)


def test_consent_text_explains_recording_and_withdrawal() -> None:
    text = consent_text().text
    assert all(heading in text for heading in ("What is recorded", "What it is for", "How to take it back"))


def test_consent_text_must_have_a_version(tmp_path: Path) -> None:
    path = tmp_path / "consent.txt"
    with pytest.raises(PracticeError, match="cannot be read"):
        consent_text(path)
    path.write_text("We record all.\n")
    with pytest.raises(PracticeError, match="has no version"):
        consent_text(path)


def test_name_without_a_consent_answer_is_kept(store: EpisodeStore, tmp_path: Path) -> None:
    kept: list[str] = []
    service = PracticeService("ada", ProfileStore(tmp_path / "people"), store, wanted=2, keep_name=kept.append)
    welcome = service.answer_consent("Grace", agreed=None)
    assert (welcome.name, welcome.must_ask, welcome.agrees) == ("Grace", True, False)
    assert kept == ["Grace"]
