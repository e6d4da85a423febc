import json
from collections.abc import Callable
from typing import Any

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction, Repair
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.action import Impossible
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.status import ReviewerRole, ReviewStage
from tests.dataset.published_episode import ACTIONS
from tests.review.review_dataset import ReviewDataset
from tests.services.test_review import RECORDER, dataset, judge, one, revision

__all__ = ["dataset", "one"]


def damage_annotation(dataset: ReviewDataset, episode_id: str, change: Callable[[dict[str, Any]], object]) -> bytes:
    path = dataset.annotation(episode_id)
    tree = json.loads(path.read_bytes())
    change(tree)
    path.write_text(json.dumps(tree))
    return path.read_bytes()


def drop_terminal_step(tree: dict[str, Any]) -> None:
    tree["steps"].pop()
    tree["step_length"] -= 1


@pytest.mark.parametrize(
    "change",
    [drop_terminal_step, lambda tree: tree["steps"][-1].update(action="FINISH"), lambda tree: tree["steps"].pop()],
    ids=["lost", "unknown", "lost and miscounted"],
)
def test_reviewer_restores_a_lost_terminal_step(
    dataset: ReviewDataset, one: str, change: Callable[[dict[str, Any]], object]
) -> None:
    original = read_episode(dataset.annotation(one))
    damaged = damage_annotation(dataset, one, change)
    service = dataset.service("Bea")
    opened = service.open(one)
    assert opened.row.role is ReviewerRole.FIRST
    assert opened.opened.damage
    assert opened.opened.episode.steps == original.steps[:-1]
    with pytest.raises(ReviewError, match="This is not enough"):
        service.fix(one, Repair(), "it was damaged", opened.revision)
    with pytest.raises(ReviewError, match="needs a reason"):
        service.fix(one, Repair(end="IMPOSSIBLE"), "it was damaged", opened.revision)
    repaired = service.fix(one, Repair(end="COMPLETE", words="done"), "it was damaged", opened.revision)
    assert (repaired.opened.episode, repaired.opened.damage) == (original, "")
    assert judge(service, one).stage is ReviewStage.ACCEPTED
    dataset.service("Cleo")
    assert dataset.reviews.read(one).fixes[0].amendment == Repair(end="COMPLETE", words="done")
    Versions(dataset.root).restore(one, dataset.reviews.read(one).fixes[0].version)
    assert dataset.annotation(one).read_bytes() == damaged


def test_terminal_step_replaces_the_last_step_without_screenshot(dataset: ReviewDataset, one: str) -> None:
    damage_annotation(dataset, one, drop_terminal_step)
    (dataset.root / "screenshots" / f"{one}_4.png").unlink()
    path = dataset.root / "provenance" / f"{one}.json"
    provenance = json.loads(path.read_bytes())
    provenance["steps"][3]["input"] = {"kind": "key", "key": "BACK"}
    path.write_text(json.dumps({**provenance, "steps": provenance["steps"][:-1]}))
    service = dataset.service("Bea")
    opened = service.fix(
        one, Repair(end="IMPOSSIBLE", words="no shop"), "it was damaged", revision(dataset, one)
    ).opened
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
def test_repair_corrects_only_wrong_numbers_and_names(
    dataset: ReviewDataset, one: str, change: Callable[[dict[str, Any]], object]
) -> None:
    original = read_episode(dataset.annotation(one))
    damage_annotation(dataset, one, change)
    service = dataset.service("Bea")
    assert service.fix(one, Repair(), "it was damaged", revision(dataset, one)).opened.episode == original
    with pytest.raises(ReviewError, match="Nothing would change"):
        service.fix(one, Repair(), "once more", revision(dataset, one))


def test_unreadable_episode_is_restored_or_rejected(dataset: ReviewDataset, one: str) -> None:
    other = dataset.record()
    service = dataset.service("Bea")
    fixed = service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(dataset, one))
    for episode_id in (one, other):
        dataset.annotation(episode_id).write_bytes(dataset.annotation(episode_id).read_bytes()[:300])
    opened = service.open(other)
    assert (opened.opened.episode.steps, opened.row.problem, opened.row.role) == ((), "", ReviewerRole.FIRST)
    assert "expected JSON" in opened.row.episode.problem
    with pytest.raises(ReviewError, match="no earlier version is saved"):
        service.fix(other, Repair(), "it was damaged", opened.revision)
    with pytest.raises(ReviewError, match="An episode with an error cannot be accepted"):
        judge(service, other)
    assert judge(service, other, Decision.REJECT, "pfp").stage is ReviewStage.REJECTED
    assert not dataset.annotation(other).exists()
    assert service.fix(one, Repair(), "it was damaged", revision(dataset, one)).revision == fixed.revision


def test_annotator_cannot_judge_their_own_damaged_episode(dataset: ReviewDataset, one: str) -> None:
    dataset.annotation(one).write_text("{")
    assert dataset.service(RECORDER).open(one).row.refusal.startswith("You recorded this episode")
