from pathlib import Path

import pytest

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError, PracticeError
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.service import PracticeService, consent_text
from odyssey_recorder.practice.tasks import practice_tasks
from tests.episodes import ID
from tests.practice.attempts import publish
from tests.practice.test_trail import record

FIRST = practice_tasks()[0].task_id
SCREENS = (
    ("com.android.launcher3", "Settings"),
    ("com.android.settings", "Display"),
    ("com.android.settings", "Night light"),
)


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "practice", drafts=tmp_path / "practice" / "drafts")


def room_of(store: EpisodeStore, name: str = "ada", *, wanted: int = 10) -> PracticeService:
    return PracticeService(name, ProfileStore(store.root.parent / "annotators"), store, wanted=wanted)


def record_attempt(store: EpisodeStore) -> str:
    """Publish a perfect attempt at the first task; return its id."""
    records = [record(number, package=app) for number, (app, _) in enumerate(SCREENS)]
    trees = [
        f'<hierarchy><node package="{app}" text="{text}" bounds="[0,0][9,9]"/></hierarchy>' for app, text in SCREENS
    ]
    return publish(store, [Click(Point(1, 1)), Click(Point(2, 2)), Complete("")], records, trees)


def test_a_new_annotator_is_asked_and_has_all_tasks_before_them(store: EpisodeStore) -> None:
    welcome = room_of(store).welcome()
    assert (welcome.name, welcome.must_ask, welcome.agrees, welcome.status.left) == ("ada", True, False, 10)
    assert [room_of(store, wanted=number).welcome().status.left for number in (0, 3, 99)] == [0, 3, 10]


def test_an_agreement_is_kept_with_its_version_for_the_name_that_was_given(store: EpisodeStore) -> None:
    room = room_of(store)
    assert room.agreed_version == ""
    welcome = room.answer_consent(" Ada  Lovelace ", agreed=True)
    assert (welcome.name, welcome.agrees, welcome.must_ask) == ("Ada Lovelace", True, False)
    assert (room.annotator, room.agreed_version) == ("Ada Lovelace", consent_text().version)
    again = room_of(store, "Ada Lovelace")
    assert again.welcome().agrees
    assert again.agreed_version == consent_text().version
    assert room_of(store, "ada").welcome().must_ask


def test_who_does_not_agree_is_not_asked_again_and_has_agreed_to_nothing(store: EpisodeStore) -> None:
    room = room_of(store)
    room.answer_consent("ada", agreed=True)
    welcome = room.answer_consent("ada", agreed=False)
    assert (welcome.agrees, welcome.must_ask, room.agreed_version) == (False, False, "")


def test_an_attempt_is_judged_by_its_files_and_kept(store: EpisodeStore) -> None:
    room = room_of(store)
    episode_id = record_attempt(store)
    judged = room.score_attempt(FIRST, episode_id, hints=1)
    assert (judged.value, judged.missed) == (99, ())
    assert room_of(store).welcome().status.best == {FIRST: 99}
    assert room_of(store).welcome().status.left == 9
    assert room_of(store, "bo").welcome().status.best == {}
    store.ui_tree_path(episode_id, 1).unlink()
    assert room.score_attempt(FIRST, episode_id, hints=0).is_passed, "a view tree that was lost is no failure"
    with pytest.raises(PracticeError, match="no practice task practice-99"):
        room.score_attempt("practice-99", episode_id, hints=0)
    (store.root / "provenance" / f"{ID}.json").unlink()
    with pytest.raises(DatasetError, match="has incomplete provenance"):
        room.score_attempt(FIRST, episode_id, hints=0)


def test_the_consent_text_says_what_is_recorded_and_how_to_withdraw() -> None:
    text = consent_text().text
    assert all(words in text for words in ("What is recorded", "What it is for", "How to take it back"))


def test_a_consent_text_must_have_a_version(tmp_path: Path) -> None:
    path = tmp_path / "consent.txt"
    with pytest.raises(PracticeError, match="cannot be read"):
        consent_text(path)
    path.write_text("We record all.\n")
    with pytest.raises(PracticeError, match="has no version"):
        consent_text(path)


def test_who_does_not_record_gives_a_name_and_no_answer(store: EpisodeStore, tmp_path: Path) -> None:
    kept: list[str] = []
    service = PracticeService("ada", ProfileStore(tmp_path / "people"), store, wanted=2, keep_name=kept.append)
    welcome = service.answer_consent("Grace", agreed=None)
    assert (welcome.name, welcome.must_ask, welcome.agrees) == ("Grace", True, False)
    assert kept == ["Grace"]
