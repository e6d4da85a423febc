"""The queue bridge: renewing claims, and reporting changes."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import QueueContents, QueuedTask, Status
from odyssey_recorder.tasks.queue.transaction import Leases
from tests.tasks.postgres import Postgres
from tests.tasks.queues import Queues
from tests.tasks.tasks import row

BridgeTo = Callable[[TaskQueue], QueueBridge]


def renews_claim(bridge: QueueBridge) -> bool:
    """Whether the claim is renewed periodically."""
    return any(timer.isActive() and not timer.isSingleShot() for timer in bridge.findChildren(QTimer))


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[Queues]:
    queues = Queues(tmp_path)
    queues.fill(row("a"), row("b"))
    yield queues
    queues.close()


@pytest.fixture
def bridge_to(queues: Queues, background: Background) -> Iterator[BridgeTo]:
    bridges: list[QueueBridge] = []

    def make(queue: TaskQueue) -> QueueBridge:
        bridges.append(QueueBridge(lambda: queue, background, patience_ms=20))
        return bridges[-1]

    yield make
    for bridge in bridges:
        shiboken6.delete(bridge)


def test_claim_is_renewed_while_held(qtbot: QtBot, queues: Queues, bridge_to: BridgeTo) -> None:
    bridge, other = bridge_to(queues.queue()), queues.queue(annotator="Grace")
    with qtbot.waitSignal(bridge.board_changed):
        bridge.choose("a")
    assert renews_claim(bridge)
    (first,) = other.holders()
    queues.clock.advance_s(0.8 * Leases().claim_s)
    bridge.renew()
    qtbot.waitUntil(lambda: other.holders()[0].until > first.until)
    queues.clock.advance_s(0.8 * Leases().claim_s)
    with pytest.raises(TaskError):
        other.claim("a")
    bridge.release_claim()
    assert not renews_claim(bridge)


def test_skipped_task_may_be_claimed_by_others_at_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, queues: Queues, bridge_to: BridgeTo
) -> None:
    ada, grace = queues.queue(), queues.queue(annotator="Grace", drafts="hers")

    def skip_contested(task_id: str, reason: str) -> None:
        grace.claim(task_id)
        TaskQueue.skip(ada, task_id, reason)

    monkeypatch.setattr(ada, "skip", skip_contested)
    bridge = bridge_to(ada)
    held: list[QueuedTask] = []
    bridge.held_changed.connect(held.append)
    bridge.choose("a")
    bridge.skip("a", "app not installed")
    qtbot.waitUntil(lambda: [task.task_id for task in held] == ["a", "b"])
    assert {one.task_id: one.annotator for one in grace.holders()} == {"a": "Grace", "b": "Ada"}


def test_claim_is_reported_even_without_a_board(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, queues: Queues, bridge_to: BridgeTo
) -> None:
    def break_connection() -> QueueContents:
        raise TaskError("The queue cannot be reached.")

    queue = queues.queue()
    monkeypatch.setattr(queue, "board", break_connection)
    bridge = bridge_to(queue)
    events: list[str] = []
    bridge.held_changed.connect(lambda held: events.append(held.task_id))
    bridge.chosen.connect(lambda chosen: events.append(f"{chosen.task_id} is chosen"))
    bridge.failed.connect(events.append)
    bridge.choose("a")
    qtbot.waitUntil(lambda: events == ["a", "a is chosen", "The queue cannot be reached."])
    assert renews_claim(bridge)


def test_slow_queue_answers_once(qtbot: QtBot, tmp_path: Path, queues: Queues, bridge_to: BridgeTo) -> None:
    bridge = bridge_to(queues.queue())
    events: list[object] = []
    for signal in (bridge.claim_confirmed, bridge.claim_unconfirmed, bridge.lost, bridge.board_changed):
        signal.connect(events.append)
    with closing(sqlite3.connect(tmp_path / "queue.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        bridge.confirm_claim("a")
        qtbot.waitUntil(lambda: events == ["No answer yet."])
    bridge.refresh()
    qtbot.waitUntil(lambda: len(events) == 2)
    assert isinstance(events[1], QueueContents)


def test_changes_by_others_are_reported_without_asking(
    qtbot: QtBot, postgres: Postgres, emptied_database: Callable[[], str], tmp_path: Path, background: Background
) -> None:
    queues = Queues(tmp_path, emptied_database())
    queues.fill(row("a"), row("b"))
    lea = queues.queue(annotator="Lea", drafts="hers")
    ada = queues.queue()
    bridge = QueueBridge(lambda: ada, background, watch_ms=20)
    statuses: list[list[Status]] = []
    failures: list[str] = []
    losses: list[str] = []
    bridge.board_changed.connect(lambda board: statuses.append([task.status for task in board.tasks]))
    bridge.failed.connect(failures.append)
    bridge.lost.connect(losses.append)
    bridge.follow()
    qtbot.waitUntil(lambda: statuses == [[Status.WAITING] * 2])
    bridge.choose("a")
    qtbot.waitUntil(lambda: statuses[-1] == [Status.CLAIMED, Status.WAITING])
    lea.claim("b")
    qtbot.waitUntil(lambda: statuses[-1] == [Status.CLAIMED] * 2)
    lea.free("a", "Bob knows this app")
    qtbot.waitUntil(lambda: statuses[-1] == [Status.WAITING, Status.CLAIMED])
    assert losses == ["Released by Lea: Bob knows this app"]
    postgres.stop()
    qtbot.waitUntil(lambda: len(failures) == 1)
    assert "cannot be reached" in failures[0]
    seen = len(statuses)
    postgres.start()
    qtbot.waitUntil(lambda: len(statuses) > seen, timeout=30_000)
    assert len(failures) == 1, "an outage is told once"
    shiboken6.delete(bridge)
    queues.close()
