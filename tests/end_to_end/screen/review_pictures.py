"""Makes the images of the reviewer's guide: a day of review on episodes from simulated emulators."""

from collections.abc import Mapping

from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import open_for_review
from tests.end_to_end.screen.keeping import keep
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.shelf import Shelf
from tests.quality.damaged.recordings import record_tasks

_PEOPLE = ("Ada", "Grace", "Mary")
_STRAY = "Let Calculator work out 7 times 8 tiles for my bathroom"
_DISPUTED = "Does the book club fit?"


def review(room: Room) -> None:
    ids = record_tasks(room.folder / "recorded", seed=0)  # the first was recorded on a device like the one here
    _fill(room, ids)
    with room.annotator("review", str(room.folder / "dataset"), "--as", "Bea") as reviewer:
        reviewer.wait_for("for you")
        reviewer.press("Show all")
        reviewer.window.wait_until(lambda sight: not sight.says("Checking the episodes"), "the checks to end")
        keep(room, reviewer, "review-list")
        _look(room, reviewer)
        _find_and_fix(room, reviewer)
        _replay(room, reviewer)
        open_for_review(reviewer, "double portion of pancakes")
        reviewer.keys("Right", "Right")
        keep(room, reviewer, "review-tablet", "dark")
    with room.annotator("review", str(room.folder / "dataset"), "--as", "Dora") as reviewer:
        open_for_review(reviewer, _DISPUTED)
        reviewer.keys("Right", "Right", "Right", "Right")
        keep(room, reviewer, "review-dispute")
    _figures(room, ids)


def _fill(room: Room, ids: Mapping[str, str]) -> None:
    """Twelve episodes of three annotators: one with an extra step, one disputed, some decided."""
    shelf = Shelf(room.folder / "recorded" / "dataset", room.folder / "dataset")
    kept = {
        name: shelf.copy(episode_id, _PEOPLE[number % 3], stray=2 if name == "tiles" else None)
        for number, (name, episode_id) in enumerate(ids.items())
    }
    ReviewStore(shelf.root).set_policy(ReviewPolicy(second_share=0))
    shelf.judge(kept["book club"], "Bea")
    shelf.judge(kept["book club"], "Cleo", "pfp")
    shelf.judge(kept["frost"], "Cleo")
    shelf.judge(kept["dark"], "Cleo")
    shelf.judge(kept["library"], "Cleo", "pfp")


def _look(room: Room, reviewer: Annotator) -> None:
    open_for_review(reviewer, "cedar and fig candle")
    reviewer.keys("Right", "Right", "q", "a")
    keep(room, reviewer, "review")


def _find_and_fix(room: Room, reviewer: Annotator) -> None:
    open_for_review(reviewer, _STRAY)
    reviewer.keys("n")
    reviewer.wait_for("Step 3 of")
    keep(room, reviewer, "review-finding")
    reviewer.keys("alt+d")
    with reviewer.dialog("Drop steps"):
        reviewer.press("nothing was changed")
        reviewer.wait_for("continues without a jump")
        keep(room, reviewer, "review-fix")
        reviewer.keys("Escape")


def _replay(room: Room, reviewer: Annotator) -> None:
    open_for_review(reviewer, "cedar and fig candle")
    reviewer.keys("alt+4")
    reviewer.find("Device to replay on")  # it can be chosen once the devices are known
    reviewer.keys("ctrl+r")
    reviewer.wait_for("Replayed on")
    keep(room, reviewer, "review-replay")


def _figures(room: Room, ids: Mapping[str, str]) -> None:
    root = room.folder / "judged"
    shelf = Shelf(room.folder / "recorded" / "dataset", root)
    kept = [shelf.copy(one, by) for by in (*_PEOPLE, "Ben") for one in ids.values()]
    ReviewStore(root).set_policy(ReviewPolicy(second_share=1))
    shelf.judge_all(kept, "Bea", _said("pfp", "ppf", "fpp", "pfp", "pfp", count=len(kept)))
    shelf.judge_all(kept, "Cleo", _said("pfp", "ppf", "ppp", "pfp", "ppp", count=len(kept)))
    with room.annotator("review", str(root), "--as", "Dora") as reviewer:
        reviewer.wait_for("for you")
        reviewer.press("Show figures")
        reviewer.wait_for("kappa")
        keep(room, reviewer, "review-figures")


def _said(*others: str, count: int) -> list[str]:
    return [others[number // 9 % len(others)] if number % 9 == 4 else "ppp" for number in range(count)]
