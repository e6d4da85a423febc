"""Reviewed datasets for tests: on disk, and as values."""

from pathlib import Path

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, Origin
from odyssey_recorder.quality.agreement.reviewed import Reviewed
from odyssey_recorder.quality.reviewing.review import Subject, Verdict
from odyssey_recorder.quality.reviewing.status import SecondReviewReason, verdict_status
from tests.episodes import episode
from tests.quality.verdicts import PRESENT

ADA = Origin(
    recorder_version="0", mode="mirror", actor="annotator", annotator="Ada", task_id="", serial="", model="",
    fingerprint="", avd_name="", density=420,
)  # fmt: skip


def publish(root: Path, episode_id: str) -> Path:
    for folder in ("annotations", "provenance"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    annotation = root / "annotations" / f"{episode_id}.json"
    write_episode(annotation, episode(episode_id=episode_id))
    proof = EpisodeProvenance(
        format=FORMAT, episode_id=episode_id, origin=ADA, started_us=1, published_us=2, steps=(), dropped=()
    )
    (root / "provenance" / annotation.name).write_text(proof.model_dump_json())
    return annotation


def reviewed(number: int, *verdicts: Verdict, sampled: bool = True, subject: Subject | None = None) -> Reviewed:
    """The episode with this number and these verdicts; two are required if it is `sampled`."""
    now = verdict_status(verdicts, [PRESENT], SecondReviewReason.SAMPLE if sampled else None, recorder="Ada")
    told = subject or Subject(recorder="Ada", category="Web_Shopping", device="Pixel 8 Pro", template="Buy {}", steps=9)
    return Reviewed(f"{number:016}", told, now.stage, now.verdicts, sampled)
