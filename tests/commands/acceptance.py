from pathlib import Path

from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from odyssey_recorder.quality.reviewing.views import VerdictDraft
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from tests.quality.verdicts import judgements


def accept_episodes(root: Path, *episode_ids: str) -> None:
    ReviewStore(root).set_policy(ReviewPolicy(second_share=0.0))
    for name in ("Bea", "Cleo"):  # episodes with warnings are judged twice
        service = ReviewService(EpisodeIndex(root, None), Checker(None, 1), lambda name=name: name)  # type: ignore[misc]
        service.check_all()
        for episode_id in episode_ids:
            revision = service.open(episode_id).revision
            service.submit(episode_id, VerdictDraft(Decision.ACCEPT, judgements("ppp"), "", revision, 9.0))
