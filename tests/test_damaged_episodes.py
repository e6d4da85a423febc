import json
from collections.abc import Callable
from typing import Any

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction, Repair
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.action import Impossible
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage
from tests.dataset.published_episode import ACTIONS
from tests.test_review_service import RECORDER, Place, judge, one, place, revision

__all__ = ["one", "place"]


def damage(place: Place, episode_id: str, change: Callable[[dict[str, Any]], object]) -> bytes:
    path = place.annotation(episode_id)
    tree = json.loads(path.read_bytes())
    change(tree)
    path.write_text(json.dumps(tree))
    return path.read_bytes()


def lose_end(tree: dict[str, Any]) -> None:
    tree["steps"].pop()
    tree["step_length"] -= 1


@pytest.mark.parametrize(
    "change",
    [lose_end, lambda tree: tree["steps"][-1].update(action="FINISH"), lambda tree: tree["steps"].pop()],
    ids=["lost", "unknown", "lost and miscounted"],
)
def test_an_episode_that_lost_its_end_is_opened_and_gets_it_from_a_person(
    place: Place, one: str, change: Callable[[dict[str, Any]], object]
) -> None:
    whole = read_episode(place.annotation(one))
    damaged = damage(place, one, change)
    service = place.service("Bea")
    opened = service.open(one)
    assert opened.row.role is ReviewerRole.FIRST
    assert opened.opened.damage
    assert opened.opened.episode.steps == whole.steps[:-1]
    with pytest.raises(ReviewError, match="This is not enough"):
        service.fix(one, Repair(), "it was damaged", opened.revision)
    with pytest.raises(ReviewError, match="needs a reason"):
        service.fix(one, Repair(end="IMPOSSIBLE"), "it was damaged", opened.revision)
    repaired = service.fix(one, Repair(end="COMPLETE", words="done"), "it was damaged", opened.revision)
    assert (repaired.opened.episode, repaired.opened.damage) == (whole, "")
    assert judge(service, one).stage is ReviewStage.ACCEPTED
    place.service("Cleo")
    assert place.reviews.read(one).fixes[0].amendment == Repair(end="COMPLETE", words="done")
    Versions(place.root).restore(one, place.reviews.read(one).fixes[0].version)
    assert place.annotation(one).read_bytes() == damaged


def test_without_a_screenshot_behind_the_last_step_the_end_comes_in_its_place(place: Place, one: str) -> None:
    damage(place, one, lose_end)
    (place.root / "screenshots" / f"{one}_4.png").unlink()
    path = place.root / "provenance" / f"{one}.json"
    provenance = json.loads(path.read_bytes())
    provenance["steps"][3]["input"] = {"kind": "key", "key": "BACK"}
    path.write_text(json.dumps({**provenance, "steps": provenance["steps"][:-1]}))
    service = place.service("Bea")
    opened = service.fix(one, Repair(end="IMPOSSIBLE", words="no shop"), "it was damaged", revision(place, one)).opened
    assert [step.action for step in opened.episode.steps[2:]] == [ACTIONS[2], Impossible("no shop")]
    assert opened.provenance is not None
    assert opened.provenance.steps[3].input is None


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree.update(step_length=99),
        lambda tree: tree["steps"][2].update(step=7),
        lambda tree: tree["steps"][2].update(screenshot="../x.png"),
        lambda tree: tree.update(episode_id="0" * 16),
    ],
)
def test_wrong_numbers_and_names_are_repaired_and_nothing_else_changes(
    place: Place, one: str, change: Callable[[dict[str, Any]], object]
) -> None:
    whole = read_episode(place.annotation(one))
    damage(place, one, change)
    service = place.service("Bea")
    assert service.fix(one, Repair(), "it was damaged", revision(place, one)).opened.episode == whole
    with pytest.raises(ReviewError, match="Nothing would change"):
        service.fix(one, Repair(), "once more", revision(place, one))


def test_an_unreadable_episode_comes_back_from_its_newest_version_or_is_rejected(place: Place, one: str) -> None:
    other = place.record()
    service = place.service("Bea")
    fixed = service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(place, one))
    for episode_id in (one, other):
        place.annotation(episode_id).write_bytes(place.annotation(episode_id).read_bytes()[:300])
    opened = service.open(other)
    assert (opened.opened.episode.steps, opened.row.problem, opened.row.role) == ((), "", ReviewerRole.FIRST)
    assert "expected JSON" in opened.row.summary.problem
    with pytest.raises(ReviewError, match="no earlier version is saved"):
        service.fix(other, Repair(), "it was damaged", opened.revision)
    with pytest.raises(ReviewError, match="An episode with an error cannot be accepted"):
        judge(service, other)
    assert judge(service, other, Decision.REJECT, "pfp").stage is ReviewStage.REJECTED
    assert not place.annotation(other).exists()
    assert service.fix(one, Repair(), "it was damaged", revision(place, one)).revision == fixed.revision


def test_who_recorded_a_damaged_episode_does_not_judge_it(place: Place, one: str) -> None:
    place.annotation(one).write_text("{")
    assert place.service(RECORDER).open(one).row.refusal.startswith("You recorded this episode")
