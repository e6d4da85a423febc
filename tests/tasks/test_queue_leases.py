"""Claims and leases, and what happens to a task when its holder disappears."""

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent
from tests.tasks.queues import Queues, claimed_id, queued_task, status
from tests.tasks.tasks import EPISODE, SECOND_EPISODE, FakeEpisodes, FakeReviews, row


def test_claimed_task_is_not_offered_to_others(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    ada, bob, eve = queues.queue(), queues.queue(annotator="Bob"), queues.queue(annotator="Eve")
    assert (claimed_id(ada.claim_next()), claimed_id(bob.claim_next()), claimed_id(eve.claim_next())) == ("a", "b", "")
    assert eve.board().count(Status.CLAIMED) == 2
    with pytest.raises(TaskError, match="a cannot be claimed: it is reserved, by Ada on "):
        eve.claim("a")
    with pytest.raises(TaskError, match="a cannot be skipped: it is reserved, by Ada on "):
        eve.skip("a", "later")
    ada.release()
    assert claimed_id(eve.claim_next()) == "a"


def test_claiming_another_task_releases_the_previous_one(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    ada, bob = queues.queue(), queues.queue()
    ada.claim("a")
    ada.claim("b")
    assert claimed_id(bob.claim_next()) == "a"
    with pytest.raises(TaskError, match="a cannot be claimed"):
        ada.claim("a")
    assert status(ada, "b") is Status.CLAIMED
    assert ada.renew()


def test_claim_expires_unless_renewed(queues: Queues) -> None:
    queues.fill(row("a"))
    ada, bob = queues.queue(), queues.queue(annotator="Bob")
    ada.claim("a")
    queues.clock.advance_s(601)
    assert ada.renew(), "it ran out, and was taken by nobody"
    queues.clock.advance_s(599)
    assert claimed_id(bob.claim_next()) == ""
    queues.clock.advance_s(2)
    assert bob.board().count(Status.WAITING) == 1
    assert claimed_id(bob.claim_next()) == "a"
    assert not ada.renew()
    ada.release()
    assert [holder.annotator for holder in bob.holders()] == ["Bob"]


def test_others_can_release_a_claim_unless_it_is_being_recorded(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = FakeEpisodes()
    ada, bob = queues.queue(episodes), queues.queue(annotator="Bob", drafts="his")
    ada.claim("a")
    bob.free("a", "Ada is ill")
    assert not ada.renew()
    assert claimed_id(bob.claim_next()) == "a"
    bob.free("a", "mine")
    assert not bob.renew()
    with pytest.raises(TaskError, match="a cannot be released: it is waiting"):
        bob.free("a", "again")
    with pytest.raises(TaskError, match="Enter a reason"):
        bob.free("a", " ")
    ada.claim("b")
    episodes.drafts[EPISODE] = "b"
    ada.board()
    with pytest.raises(TaskError, match="b cannot be released: it is in progress, by Ada on "):
        bob.free("b", "too slow")


@pytest.mark.parametrize("query", [TaskQueue.renew, TaskQueue.board, TaskQueue.holders])
def test_every_query_renews_the_claim(queues: Queues, query: object) -> None:
    assert callable(query)
    queues.fill(row("a"))
    ada, bob = queues.queue(), queues.queue(annotator="Bob")
    ada.claim("a")
    for _ in range(3):
        queues.clock.advance_s(400)
        query(ada)
    assert claimed_id(bob.claim_next()) == ""


def test_holders_are_listed_with_place_and_lease(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = FakeEpisodes()
    ada, bob = queues.queue(episodes), queues.queue(annotator="Bob", drafts="his")
    ada.claim("a")
    queues.clock.advance_s(60)
    bob.claim("b")
    episodes.drafts[EPISODE] = "a"
    ada.board()
    assert ada.renew()
    one, other = bob.holders()
    assert (one.task_id, one.annotator, one.is_recording) == ("a", "Ada", True)
    assert (other.task_id, other.annotator, other.is_recording) == ("b", "Bob", False)
    assert (one.until - one.since).days == 1
    assert (other.until - other.since).seconds == 600
    assert one.place
    assert "/" not in one.place


def test_lease_of_a_recording_is_renewed_by_every_query(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = FakeEpisodes()
    ada, bob = queues.queue(episodes), queues.queue(annotator="Bob", drafts="his")
    ada.claim("a")
    episodes.drafts[EPISODE] = "a"
    assert status(ada, "a") is Status.UNDER_WAY
    for _ in range(3):
        queues.clock.advance_s(80_000)
        assert claimed_id(bob.claim_next()) == ""
        assert status(ada, "a") is Status.UNDER_WAY


def test_deleted_draft_is_noticed_only_on_its_own_computer(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = FakeEpisodes()
    ada, bob = queues.queue(episodes), queues.queue(annotator="Bob", drafts="his")
    ada.skip("a", "later")
    for _ in range(2):  # it came back from the trash
        episodes.drafts[EPISODE] = "a"
        assert status(ada, "a") is Status.UNDER_WAY
        episodes.drafts.clear()
        assert status(bob, "a") is Status.UNDER_WAY
        back = queued_task(ada, "a")
        assert (back.status, back.reason) == (Status.SKIPPED, "later")
    assert claimed_id(bob.claim_next()) == "a"


def test_expired_recording_is_offered_again_and_both_episodes_are_kept(queues: Queues) -> None:
    queues.fill(row("a"))
    ada_episodes, bob_episodes = FakeEpisodes(), FakeEpisodes()
    ada, bob = queues.queue(ada_episodes), queues.queue(bob_episodes, annotator="Bob", drafts="his")
    ada_episodes.drafts[EPISODE] = "a"
    ada.board()
    queues.clock.advance_s(90_000)
    assert claimed_id(bob.claim_next()) == "a"
    bob_episodes.drafts[SECOND_EPISODE] = "a"
    bob.board()
    bob_episodes.publish(SECOND_EPISODE)
    bob.mark_recorded("a", SECOND_EPISODE)
    ada_episodes.publish(EPISODE)
    task = queued_task(ada, "a")
    assert task.status is Status.RECORDED
    assert [(one.event, one.by, one.episode_id) for one in task.history] == [
        (TaskEvent.BEGUN, "Ada", EPISODE),
        (TaskEvent.BEGUN, "Bob", SECOND_EPISODE),
        (TaskEvent.RECORDED, "Bob", SECOND_EPISODE),
        (TaskEvent.RECORDED, "Ada", EPISODE),
    ]
    assert claimed_id(bob.claim_next()) == ""


@pytest.mark.parametrize(
    ("ended", "how"), [("recorded", Status.RECORDED), ("impossible", Status.IMPOSSIBLE), ("accepted", Status.DONE)]
)
def test_late_draft_does_not_change_a_finished_task(queues: Queues, ended: str, how: Status) -> None:
    queues.fill(row("a"))
    ada_episodes, bob_episodes, returns = FakeEpisodes(), FakeEpisodes(), FakeReviews()
    bob = queues.queue(bob_episodes, returns, annotator="Bob", drafts="his")
    if ended == "impossible":
        bob_episodes.impossible.add(SECOND_EPISODE)
    bob.mark_recorded("a", SECOND_EPISODE)
    if ended == "accepted":
        returns.accepted_by[SECOND_EPISODE] = "Bea"
    assert status(bob, "a") is how
    ada = queues.queue(ada_episodes)
    ada_episodes.drafts[EPISODE] = "a"
    assert status(ada, "a") is how
    assert (ada.holders(), bob.holders()) == ((), ())
    ada_episodes.publish(EPISODE)
    task = queued_task(ada, "a")
    assert task.status is how
    last = [(one.event, one.episode_id) for one in task.history][-2:]
    assert last == [(TaskEvent.BEGUN, EPISODE), (TaskEvent.RECORDED, EPISODE)]
    assert bob.claim_next() is None
    bob.send_back("a", "once more")
    assert claimed_id(bob.claim_next()) == "a"


def test_recording_a_task_ends_the_lease_of_its_holder(queues: Queues) -> None:
    queues.fill(row("a"))
    ada_episodes = FakeEpisodes()
    ada, bob = queues.queue(ada_episodes), queues.queue(annotator="Bob", drafts="his")
    ada_episodes.drafts[EPISODE] = "a"
    assert status(ada, "a") is Status.UNDER_WAY
    bob.mark_recorded("a", SECOND_EPISODE)
    assert (status(bob, "a"), status(ada, "a"), ada.holders()) == (Status.RECORDED, Status.RECORDED, ())
    bob.send_back("a", "wrong account")
    assert status(ada, "a") is Status.UNDER_WAY


def test_review_of_an_earlier_episode_still_counts(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    for number, task_id in enumerate("abab", 1):
        queue.mark_recorded(task_id, f"{number:016}")
    returns.accepted_by[f"{1:016}"] = "Bea"
    returns.send_back("b", f"{2:016}")
    assert (status(queue, "a"), status(queue, "b")) == (Status.DONE, Status.SENT_BACK)


def test_draft_is_credited_to_the_holder_of_the_claim(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = FakeEpisodes()
    queues.queue(episodes).claim("a")
    episodes.drafts[EPISODE] = "a"
    task = queued_task(queues.queue(episodes, annotator="Bob"), "a")
    assert [(one.event, one.by) for one in task.history] == [(TaskEvent.BEGUN, "Ada")]
