"""Writes a reviewer's work into the review files, and moves episodes that are rejected or restored."""

import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.review.controls import ControlStore
from odyssey_recorder.review.review import (
    Control,
    Decision,
    Fix,
    Move,
    Reopening,
    ReplayEvidence,
    Reply,
    Request,
    Verdict,
)
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import (
    ReviewStage,
    ReviewStatus,
    StatusRule,
    effective_fixes,
    refusal_reasons,
    review_status,
    same_person,
)
from odyssey_recorder.review.views import VerdictDraft, subject_of


class ReviewLog:
    def __init__(self, root: Path, who: Callable[[], str]) -> None:
        self.reviews = ReviewStore(root)
        self.controls = ControlStore(root)
        self.versions = Versions(root, self.reviews.is_recorded)
        self.trash = Trash(root, self.reviews.is_recorded)
        self._who = who
        self._settling = Lock()

    def verdict(
        self, episode: EpisodeRow, report: EpisodeReport, draft: VerdictDraft, decision: Decision, control: str = ""
    ) -> None:
        """A replay by the reviewer of the same files is the evidence; one on a control is kept with the controls.

        Raises ReviewError, DatasetError.
        """
        signed = self._signed()
        replays = [
            entry
            for entry in self.reviews.read(episode.episode_id).entries
            if isinstance(entry, ReplayEvidence) and entry.revision == draft.revision
        ]
        own = [replay for replay in replays if same_person(replay.by, signed["by"])]
        verdict = Verdict(
            **signed,
            decision=decision,
            judgements=draft.judgements,
            note=draft.note,
            revision=draft.revision,
            seconds=draft.seconds,
            findings=tuple(finding.name for finding in report.findings),
            subject=subject_of(episode),
            replay=own[-1].id if own else "",
            control=control,
        )
        if control:
            self.controls.add(verdict)
        else:
            self.reviews.append(episode.episode_id, verdict)

    def replay(self, episode_id: str, **result: object) -> ReplayEvidence:
        evidence = ReplayEvidence.model_validate({**self._signed(), **result})
        self.reviews.append(episode_id, evidence)
        return evidence

    def settle(self, episode_id: str, status: ReviewStatus) -> None:
        """Carry out a final decision, unless that is done already. Raises ReviewError, DatasetError.

        Whoever sees the verdict first does so: the call that recorded it, the list, or a program on another computer.
        """
        if not status.stage.is_final or not status.verdicts:
            return
        last = status.verdicts[-1]
        why = refusal_reasons(status)
        with self._settling:
            done = self._moved_since(episode_id, last.at)
            if status.stage is ReviewStage.REJECTED and "trash" not in done:
                try:
                    self.trash.move(episode_id, record=partial(self._record_move, "trash", why, last.by))
                except DatasetError:
                    if "trash" not in self._moved_since(episode_id, last.at):  # nor by another program meanwhile
                        raise
            elif status.stage is ReviewStage.SENT_BACK and "annotator" not in done:
                self.reviews.append(episode_id, Move(**self._signed() | {"by": last.by}, to="annotator", why=why))

    def request(self, episode: EpisodeRow, why: str) -> bool:
        """Request a second review; False if it was requested already, two have judged the episode, or one refused it.

        Raises ReviewError, DatasetError.
        """
        file, rule = self.reviews.read(episode.episode_id), StatusRule()
        verdicts = review_status(file, rule, recorder=episode.annotator, revision=lambda: episode.revision).verdicts
        if file.requests or len(verdicts) > 1 or not all(verdict.decision.accepts for verdict in verdicts):
            return False
        self.reviews.append(episode.episode_id, Request(**self._signed(), why=why))
        return True

    def withdraw(self, episode_id: str, why: str) -> bool:
        """Withdraw what was requested; False if nothing was. Raises ReviewError, DatasetError."""
        requests = self.reviews.read(episode_id).requests
        for request in requests:
            self.reviews.append(episode_id, Request(**self._signed(), why=why, withdraws=request.id))
        return bool(requests)

    def reply(self, episode_id: str, words: str) -> None:
        """A reply of the annotator or a reviewer, if the episode was sent back. Raises ReviewError, DatasetError."""
        signed = self._signed()
        if self.reviews.read_complete(episode_id).sent_back is None:
            raise ReviewError("This episode is not sent back, so there is nothing to reply to.")
        if not words.strip():
            raise ReviewError("Write what the others should know.")
        self.reviews.append(episode_id, Reply(**signed, words=words.strip()))

    def control(self, episode_ids: Iterable[str], **details: object) -> None:
        """Make each a control, or with `withdraws` end that. Raises ReviewError, DatasetError."""
        made = [Control.model_validate({**self._signed(), "episode_id": one, **details}) for one in episode_ids]
        self.controls.add(*made)

    def check_withdrawal(self, episode: EpisodeRow) -> None:
        """Raise ReviewError unless the episode is this person's own and nobody has judged it. Raises DatasetError."""
        if not same_person(episode.annotator, self._signed()["by"]):
            owner = episode.annotator or "somebody unknown"
            raise ReviewError(f"Episode {episode.episode_id} was recorded by {owner}, so you cannot withdraw it.")
        if verdicts := self.reviews.read(episode.episode_id).present_verdicts:
            raise ReviewError(
                f"{verdicts[-1].by} has reviewed episode {episode.episode_id}. Ask {verdicts[-1].by} to send it back."
            )

    def withdraw_episode(self, episode_id: str, why: str) -> None:
        """Move an episode to the trash for its annotator. Raises DatasetError, ReviewError."""
        self.trash.move(episode_id, record=partial(self._record_move, "trash", why, self._who()))

    def restore(self, episode_id: str, why: str) -> None:
        """Restore a rejected or withdrawn episode from the trash. Raises DatasetError, ReviewError."""
        self.trash.restore(episode_id, record=partial(self._record_move, "dataset", why, self._who()))

    def reopen(self, episode_id: str, verdict: Verdict, why: str, *, from_trash: bool) -> None:
        """Take back a verdict. Raises ReviewError, DatasetError."""

        def record(change: Change | None = None) -> None:
            signed = self._signed() | ({} if change is None else {"id": change.id})
            self.reviews.append(episode_id, Reopening(**signed, verdict=verdict.id, why=why))

        if from_trash:
            self.trash.restore(episode_id, record=record)
        else:
            record()

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str, second_because: str = "") -> None:
        """Amend the episode as it was at `revision`, and request a second review if there is a reason for one.

        Raises ReviewError, DatasetError.
        """
        record = partial(self._record_fix, amendment=amendment, why=why, second_because=second_because)
        self.versions.amend(episode_id, amendment, expected=revision, record=record)

    def undo(self, episode_id: str, revision: str) -> None:
        """Take back the newest effective fix. Raises ReviewError, DatasetError."""
        fixes = effective_fixes(self.reviews.read(episode_id).fixes)
        if not fixes:
            raise ReviewError("This episode has no fix to undo.")
        record = partial(self._record_fix, amendment=None, why="taken back", undoes=fixes[-1].id)
        self.versions.restore(episode_id, fixes[-1].version, expected=revision, record=record)

    def _moved_since(self, episode_id: str, at: datetime) -> set[str]:
        return {move.to for move in self.reviews.read(episode_id).moves if move.at >= at}

    def _signed(self) -> dict[str, Any]:
        if not (who := self._who()).strip():
            raise ReviewError("Enter your name first. What you record in a review carries it.")
        return {"id": secrets.token_hex(16), "at": datetime.now(UTC), "by": who}

    def _record_fix(
        self, change: Change, *, amendment: Amendment | None, why: str, undoes: str = "", second_because: str = ""
    ) -> None:
        fix = Fix(
            **self._signed() | {"id": change.id},
            amendment=amendment,
            why=why,
            before=change.before,
            after=change.after,
            version=change.version,
            removed=change.removed,
            undoes=undoes,
        )
        requests = [Request(**self._signed(), why=second_because)] if second_because else []
        self.reviews.append(change.episode_id, fix, *requests)

    def _record_move(self, to: Literal["trash", "dataset"], why: str, by: str, change: Change) -> None:
        self.reviews.append(change.episode_id, Move(**self._signed() | {"id": change.id, "by": by}, to=to, why=why))
