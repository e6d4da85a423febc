"""The list of episodes under review, and the next one to judge."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.gui.review.review_table import MINE, REQUESTED, UNCHECKED, ReviewTable, about
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.review.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.review.views import ReviewNews, ReviewRow

START = datetime(2026, 3, 1, tzinfo=UTC)


def row(number: int, *, mine: bool = True, category: str = "Media", problem: str = "") -> ReviewRow:
    episode = EpisodeRow(
        f"{number:016}", f"Do the task {number:05} in the clock", category, "Pixel Fold", 15, f"ann {number % 30}",
        START + timedelta(minutes=number), problem, "Do the task {} in the clock",
    )  # fmt: skip
    role = ReviewerRole.FIRST if mine else None
    return ReviewRow(episode, role=role, report=EpisodeReport(episode.episode_id), is_settled=True)


def table_of(rows: Sequence[ReviewRow], **filters: str) -> ReviewTable:
    table = ReviewTable()
    table.narrow(**filters)
    table.take(ReviewNews(read=tuple(rows)))
    return table


def ids(table: ReviewTable) -> list[int]:
    return [int(entry.row.episode_id) for entry in table.rows]


def test_next_is_the_first_reviewable_row_below() -> None:
    table = table_of(
        [row(1), row(2, mine=False), row(3, category="Social"), row(4), row(5, mine=False, problem="Broken.")]
    )
    assert table.next_to_review("") == row(1).episode_id
    assert table.next_to_review(row(1).episode_id) == row(3).episode_id
    table.narrow(category="Media")
    assert table.next_to_review(row(1).episode_id) == row(4).episode_id
    assert table.next_to_review(row(4).episode_id) == row(1).episode_id


def test_next_is_found_after_the_last_one_left_the_list() -> None:
    table = table_of([row(1), row(2), row(3)], stage=MINE)
    table.take(ReviewNews(read=(row(2, mine=False),)))
    assert ids(table) == [1, 3]
    assert table.next_to_review(row(2).episode_id) == row(3).episode_id
    table.take(ReviewNews(gone=frozenset({row(1).episode_id})))
    assert table.next_to_review(row(3).episode_id) == ""


def test_unreadable_episodes_come_first() -> None:
    assert ids(table_of([row(1), row(2, problem="Broken."), row(3)])) == [2, 1, 3]


def test_counts_follow_changes_to_episodes() -> None:
    table = table_of([row(1), row(2), ReviewRow(row(3).episode)])
    assert (table.counts["stage"][MINE], table.counts["check"][UNCHECKED]) == (2, 1)
    table.take(ReviewNews(read=(ReviewRow(row(1).episode, ReviewStage.ACCEPTED),), gone=frozenset({row(2).episode_id})))
    assert dict(table.counts["stage"]) == {"Accepted": 1, "Unreviewed": 1}
    assert dict(table.counts["annotator"]) == {"ann 1": 1, "ann 3": 1}


def test_requested_review_is_shown_until_it_is_done() -> None:
    def at(stage: ReviewStage, role: ReviewerRole | None = None) -> ReviewRow:
        return ReviewRow(row(1).episode, stage, SecondReviewReason.REQUEST, role)

    assert about(at(ReviewStage.UNREVIEWED)).startswith("Unreviewed (second review requested) · Media")
    assert about(at(ReviewStage.SECOND)).startswith("Second review (requested) · Media")
    assert about(at(ReviewStage.DISPUTED, ReviewerRole.THIRD)).startswith("Third review · Media")
    table = table_of([at(ReviewStage.SECOND), row(2)], stage=REQUESTED)
    assert ids(table) == [1]
    table.take(ReviewNews(read=(at(ReviewStage.ACCEPTED),)))
    assert ids(table) == []


def test_facet_counts_respect_the_other_filters() -> None:
    rows = [row(1, category="Media"), row(2, category="Social"), row(3, category="Social", mine=False)]
    table = table_of(rows)
    table.narrow(stage=MINE, category="Media")
    counts = table.narrowed_counts
    assert (counts["category"]["Media"], counts["category"]["Social"], counts["category"][""]) == (1, 1, 2)
    assert (counts["stage"][MINE], counts["stage"][""]) == (1, 1)
    assert (counts["annotator"]["ann 1"], counts["annotator"]["ann 2"], counts["annotator"][""]) == (1, 0, 1)
    table.narrow(stage=MINE, category="Social", text="task 00003")
    counts = table.narrowed_counts
    assert (counts["stage"][MINE], counts["stage"][""], counts["category"][""]) == (0, 1, 0)
