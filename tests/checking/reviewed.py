"""Reviewed datasets for tests: on disk, and as values."""

from pathlib import Path

from odyssey_recorder.agreement.reviewed import Reviewed
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.review.review import Subject, Verdict
from odyssey_recorder.review.status import SecondReviewReason, verdict_status
from tests.checking.verdicts import PRESENT
from tests.dataset.drafts import provenance_of, write_provenance
from tests.episodes import episode


def publish(root: Path, episode_id: str) -> Path:
    (root / "annotations").mkdir(parents=True, exist_ok=True)
    annotation = root / "annotations" / f"{episode_id}.json"
    write_episode(annotation, episode(episode_id=episode_id))
    write_provenance(root, provenance_of(episode_id, annotator="Ada"))
    return annotation


def reviewed(number: int, *verdicts: Verdict, sampled: bool = True, subject: Subject | None = None) -> Reviewed:
    """The episode with this number and these verdicts; two are required if it is `sampled`."""
    status = verdict_status(verdicts, [PRESENT], SecondReviewReason.SAMPLE if sampled else None, recorder="Ada")
    known = subject or Subject(
        recorder="Ada", category="Web_Shopping", device="Pixel 8 Pro", template="Buy {}", steps=9
    )
    return Reviewed(f"{number:016}", known, status.stage, status.verdicts, sampled)
