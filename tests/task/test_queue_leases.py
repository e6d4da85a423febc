"""Claims and leases, and what happens to a task when its holder disappears."""

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.queue.board import Status, TaskEvent
from odyssey_recorder.task.queue.queue import TaskQueue
from odyssey_recorder.task.queue.transaction import Leases
from tests.task.queues import Queues, held, standing, status
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, row

AGAIN = "0000000000000002"
LEASES = Leases(claim_s=600, recording_s=86_400)


def test_what_one_holds_is_offered_to_no_other(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    ada, bob, eve = queues.queue(), queues.queue(annotator="Bob"), queues.queue(annotator="Eve")
    assert (held(ada.claim_next()), held(bob.claim_next()), held(eve.claim_next())) == ("a", "b", "")
    assert eve.board().count(Status.CLAIMED) == 2
    with pytest.raises(TaskError, match="a cannot be claimed: it is reserved, by Ada on "):
        eve.claim("a")
    with pytest.raises(TaskError, match="a cannot be skipped: it is reserved, by Ada on "):
        eve.skip("a", "later")
    ada.release()
    assert held(eve.claim_next()) == "a"


def test_claiming_another_task_gives_the_one_before_to_others_also_to_another_window(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    ada, bob = queues.queue(), queues.queue()
    ada.claim("a")
    ada.claim("b")
    assert held(bob.claim_next()) == "a"
    with pytest.raises(TaskError, match="a cannot be claimed"):
        ada.claim("a")
    assert status(ada, "b") is Status.CLAIMED
    assert ada.renew()


def test_a_claim_that_is_not_renewed_runs_out(queues: Queues) -> None:
    queues.fill(row("a"))
    ada, bob = queues.queue(leases=LEASES), queues.queue(annotator="Bob", leases=LEASES)
    ada.claim("a")
    queues.clock.pass_s(601)
    assert ada.renew(), "it ran out, and was taken by nobody"
    queues.clock.pass_s(599)
    assert held(bob.claim_next()) == ""
    queues.clock.pass_s(2)
    assert bob.board().count(Status.WAITING) == 1
    assert held(bob.claim_next()) == "a"
    assert not ada.renew()
    ada.release()
    assert [holder.annotator for holder in bob.holders()] == ["Bob"]


def test_a_claim_can_be_ended_for_its_holder_unless_it_is_being_recorded(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = NotedEpisodes()
    ada, bob = queues.queue(episodes), queues.queue(annotator="Bob", drafts="his")
    ada.claim("a")
    bob.free("a")
    assert not ada.renew()
    assert held(bob.claim_next()) == "a"
    bob.free("a")
    assert not bob.renew()
    with pytest.raises(TaskError, match="a cannot be released: it is waiting"):
        bob.free("a")
    ada.claim("b")
    episodes.drafts[EPISODE] = "b"
    ada.board()
    with pytest.raises(TaskError, match="b cannot be released: it is in progress, by Ada on "):
        bob.free("b")


@pytest.mark.parametrize("ask", [TaskQueue.renew, TaskQueue.board, TaskQueue.holders])
def test_whatever_is_asked_renews_the_claim(queues: Queues, ask: object) -> None:
    assert callable(ask)
    queues.fill(row("a"))
    ada, bob = queues.queue(leases=LEASES), queues.queue(annotator="Bob", leases=LEASES)
    ada.claim("a")
    for _ in range(3):
        queues.clock.pass_s(400)
        ask(ada)
    assert held(bob.claim_next()) == ""


def test_it_is_told_who_works_on_what(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = NotedEpisodes()
    ada, bob = queues.queue(episodes, leases=LEASES), queues.queue(annotator="Bob", drafts="his", leases=LEASES)
    ada.claim("a")
    queues.clock.pass_s(60)
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


def test_a_recording_that_was_begun_is_kept_for_days_and_looking_renews_it(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = NotedEpisodes()
    ada, bob = queues.queue(episodes, leases=LEASES), queues.queue(annotator="Bob", drafts="his", leases=LEASES)
    ada.claim("a")
    episodes.drafts[EPISODE] = "a"
    assert status(ada, "a") is Status.UNDER_WAY
    for _ in range(3):
        queues.clock.pass_s(80_000)
        assert held(bob.claim_next()) == ""
        assert status(ada, "a") is Status.UNDER_WAY


def test_what_becomes_of_a_draft_is_found_out_where_it_is_and_nowhere_else(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = NotedEpisodes()
    ada, bob = queues.queue(episodes, leases=LEASES), queues.queue(annotator="Bob", drafts="his", leases=LEASES)
    ada.skip("a", "later")
    for _ in range(2):  # it came back from the trash
        episodes.drafts[EPISODE] = "a"
        assert status(ada, "a") is Status.UNDER_WAY
        episodes.drafts.clear()
        assert status(bob, "a") is Status.UNDER_WAY
        back = standing(ada, "a")
        assert (back.status, back.reason) == (Status.SKIPPED, "later")
    assert held(bob.claim_next()) == "a"


def test_a_recording_that_nobody_looks_after_waits_again_and_both_episodes_are_noted(queues: Queues) -> None:
    queues.fill(row("a"))
    hers, his = NotedEpisodes(), NotedEpisodes()
    ada, bob = queues.queue(hers, leases=LEASES), queues.queue(his, annotator="Bob", drafts="his", leases=LEASES)
    hers.drafts[EPISODE] = "a"
    ada.board()
    queues.clock.pass_s(90_000)
    assert held(bob.claim_next()) == "a"
    his.drafts[AGAIN] = "a"
    bob.board()
    his.publish(AGAIN)
    bob.mark_recorded("a", AGAIN)
    hers.publish(EPISODE)
    task = standing(ada, "a")
    assert task.status is Status.RECORDED
    assert [(one.event, one.by, one.episode_id) for one in task.history] == [
        (TaskEvent.BEGUN, "Ada", EPISODE),
        (TaskEvent.BEGUN, "Bob", AGAIN),
        (TaskEvent.RECORDED, "Bob", AGAIN),
        (TaskEvent.RECORDED, "Ada", EPISODE),
    ]
    assert held(bob.claim_next()) == ""


@pytest.mark.parametrize(
    ("ended", "how"),
    [("recorded", Status.RECORDED), ("impossible", Status.IMPOSSIBLE), ("accepted", Status.DONE)],
)
def test_a_draft_that_goes_on_after_somebody_else_recorded_its_task_changes_nothing(
    queues: Queues, ended: str, how: Status
) -> None:
    queues.fill(row("a"))
    hers, his, returns = NotedEpisodes(), NotedEpisodes(), NotedReturns()
    bob = queues.queue(his, returns, annotator="Bob", drafts="his", leases=LEASES)
    if ended == "impossible":
        his.impossible.add(AGAIN)
    bob.mark_recorded("a", AGAIN)
    if ended == "accepted":
        returns.taken[AGAIN] = "Bea"
    assert status(bob, "a") is how
    ada = queues.queue(hers, leases=LEASES)
    hers.drafts[EPISODE] = "a"
    assert status(ada, "a") is how
    assert (ada.holders(), bob.holders()) == ((), ())
    hers.publish(EPISODE)
    task = standing(ada, "a")
    assert task.status is how
    last = [(one.event, one.episode_id) for one in task.history][-2:]
    assert last == [(TaskEvent.BEGUN, EPISODE), (TaskEvent.RECORDED, EPISODE)]
    assert bob.claim_next() is None
    bob.send_back("a", "once more")
    assert held(bob.claim_next()) == "a"


def test_whoever_records_a_task_ends_the_lease_that_another_has_on_it(queues: Queues) -> None:
    queues.fill(row("a"))
    hers = NotedEpisodes()
    ada, bob = queues.queue(hers, leases=LEASES), queues.queue(annotator="Bob", drafts="his", leases=LEASES)
    hers.drafts[EPISODE] = "a"
    assert status(ada, "a") is Status.UNDER_WAY
    bob.mark_recorded("a", AGAIN)
    assert (status(bob, "a"), status(ada, "a"), ada.holders()) == (Status.RECORDED, Status.RECORDED, ())
    bob.send_back("a", "wrong account")
    assert status(ada, "a") is Status.UNDER_WAY


def test_a_review_of_the_first_episode_counts_although_there_is_a_second(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    returns = NotedReturns()
    queue = queues.queue(returns=returns)
    for number, task_id in enumerate("abab", 1):
        queue.mark_recorded(task_id, f"{number:016}")
    returns.taken[f"{1:016}"] = "Bea"
    returns.send_back("b", f"{2:016}")
    assert (status(queue, "a"), status(queue, "b")) == (Status.DONE, Status.SENT_BACK)


def test_a_draft_is_theirs_who_held_its_task_whoever_sees_it_first(queues: Queues) -> None:
    queues.fill(row("a"))
    episodes = NotedEpisodes()
    queues.queue(episodes).claim("a")
    episodes.drafts[EPISODE] = "a"
    task = standing(queues.queue(episodes, annotator="Bob"), "a")
    assert [(one.event, one.by) for one in task.history] == [(TaskEvent.BEGUN, "Ada")]
