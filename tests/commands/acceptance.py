from pathlib import Path

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from odyssey_recorder.review.views import VerdictDraft
from odyssey_recorder.services.review import ReviewService
from tests.checking.verdicts import judgements


def accept_episodes(root: Path, *episode_ids: str) -> None:
    ReviewStore(root).set_policy(ReviewPolicy(second_share=0.0))
    for name in ("Bea", "Cleo"):  # episodes with warnings are judged twice
        service = ReviewService(EpisodeIndex(root, None), Checker(None, 1), lambda name=name: name)  # type: ignore[misc]
        service.check_all()
        for episode_id in episode_ids:
            revision = service.open(episode_id).revision
            service.submit(episode_id, VerdictDraft(Decision.ACCEPT, judgements("ppp"), "", revision, 9.0))
