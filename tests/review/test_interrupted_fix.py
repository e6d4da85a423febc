"""Whatever is done with a dataset, the review files decide what becomes of a fix that was interrupted."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from odyssey_recorder.annotation.consent import give_consent
from odyssey_recorder.curation.redaction import RedactedWords, Redaction, remove_boxes, write_redaction
from odyssey_recorder.curation.retired import RetireDecision, record_decisions
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.releases.folder import ReleaseRecord, write_release
from odyssey_recorder.releases.manifest import ReleaseChanges
from odyssey_recorder.review.review_log import ReviewLog
from tests.checking.folders import FIRST, SECOND, write_dataset
from tests.review.interrupted_fix import interrupt_recorded_fix

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
RECORD = ReleaseRecord(
    name="1.0.0", number=1, episodes=0, steps=0, bytes=0, with_splits=False, changes=ReleaseChanges()
)


def retire(root: Path) -> None:
    record_decisions(root, [RetireDecision(episode_id=SECOND, decision="retire", reason="blurred", who="Ada")])


def redact(root: Path) -> None:
    words = RedactedWords(text="Ada", who="Ada", at=NOON, why="a name")
    write_redaction(root, Redaction(episode_id=SECOND, words=(words,)))
    remove_boxes(root, SECOND, 0)


def agree(root: Path) -> None:
    give_consent(root, "models.example.com", 3, 1000, by="Ada")


def release(root: Path) -> None:
    write_release(root, RECORD, {}, {})


@pytest.mark.parametrize("act", [retire, redact, agree, release])
def test_recorded_fix_that_was_interrupted_is_never_rolled_back(tmp_path: Path, act: Callable[[Path], None]) -> None:
    write_dataset(tmp_path, FIRST, SECOND)
    interrupt_recorded_fix(tmp_path, FIRST, "Fixed.")
    act(tmp_path)
    ReviewLog(tmp_path, str).versions.recover()
    assert read_annotation(tmp_path / annotation_path(FIRST)).task.instruction == "Fixed."
    assert under_way(tmp_path) is None
