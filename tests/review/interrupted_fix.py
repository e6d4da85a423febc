"""A reviewer's fix, as a killed program leaves it."""

from pathlib import Path

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.review.review import Fix
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_store import ReviewStore


def interrupt_recorded_fix(root: Path, episode_id: str, instruction: str) -> None:
    """As if the program had been killed after the fix was in the review file, before the journal was cleared."""
    journal, written = root / HISTORY / "change.json", list[bytes]()
    append = ReviewStore.append

    def noting(store: ReviewStore, episode_id: str, entry: Fix) -> object:
        written.append(journal.read_bytes())
        return append(store, episode_id, entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReviewStore, "append", noting)
        ReviewLog(root, lambda: "Bea").fix(episode_id, NewInstruction(instruction=instruction), "wrong", "")
    journal.write_bytes(written[0])
