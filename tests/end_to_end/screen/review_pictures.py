"""Makes the images of the reviewer's guide: a day of review on episodes from simulated emulators."""

from collections.abc import Mapping

from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.damaged.recordings import record_tasks
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.review_dataset import ReviewDataset
from tests.end_to_end.screen.sandbox import Sandbox

_PEOPLE = ("Ada", "Grace", "Mary")
_WITH_EXTRA_STEP = "Let Calculator work out 7 times 8 tiles for my bathroom"
_DISPUTED = "Does the book club fit?"


def review(sandbox: Sandbox) -> None:
    ids = record_tasks(sandbox.folder / "recorded", seed=0)  # the first was recorded on a device like the one here
    _fill(sandbox, ids)
    with sandbox.reviewer("Bea") as reviewer:
        reviewer.wait_for("for you")
        reviewer.press("Show all")
        reviewer.window.wait_until(lambda content: not content.shows("Checking the episodes"), "the checks to end")
        reviewer.save_image("review-list")
        _judge(reviewer)
        _find_and_fix(reviewer)
        _replay(reviewer)
        reviewer.open_for_review("double portion of pancakes")
        reviewer.keys("Right", "Right")
        reviewer.save_image("review-tablet", "dark")
    with sandbox.reviewer("Dora") as reviewer:
        reviewer.open_for_review(_DISPUTED)
        reviewer.keys("Right", "Right", "Right", "Right")
        reviewer.save_image("review-dispute")
    _figures(sandbox, ids)


def _fill(sandbox: Sandbox, ids: Mapping[str, str]) -> None:
    """Twelve episodes of three annotators: one with an extra step, one disputed, some decided."""
    dataset = ReviewDataset(sandbox.folder / "recorded" / "dataset", sandbox.folder / "dataset")
    copies = {
        name: dataset.copy(episode_id, _PEOPLE[number % 3], extra_step=2 if name == "tiles" else None)
        for number, (name, episode_id) in enumerate(ids.items())
    }
    ReviewStore(dataset.root).set_policy(ReviewPolicy(second_share=0))
    dataset.judge(copies["book club"], "Bea")
    dataset.judge(copies["book club"], "Cleo", "pfp")
    dataset.judge(copies["frost"], "Cleo")
    dataset.judge(copies["dark"], "Cleo")
    dataset.judge(copies["library"], "Cleo", "pfp")


def _judge(reviewer: Annotator) -> None:
    reviewer.open_for_review("cedar and fig candle")
    reviewer.keys("Right", "Right", "q", "a")
    reviewer.save_image("review")


def _find_and_fix(reviewer: Annotator) -> None:
    reviewer.open_for_review(_WITH_EXTRA_STEP)
    reviewer.keys("n", expect="Step 3 of")
    reviewer.save_image("review-finding")
    reviewer.keys("alt+d")
    with reviewer.dialog("Drop steps"):
        reviewer.press("nothing was changed", expect="leaves no gap")
        reviewer.save_image("review-fix")
        reviewer.keys("Escape")


def _replay(reviewer: Annotator) -> None:
    reviewer.open_for_review("cedar and fig candle")
    reviewer.keys("alt+4")
    reviewer.find("Device to replay on")  # it can be chosen once the devices are known
    reviewer.keys("ctrl+r", expect="Replayed on")
    reviewer.save_image("review-replay")


def _figures(sandbox: Sandbox, ids: Mapping[str, str]) -> None:
    root = sandbox.folder / "judged"
    dataset = ReviewDataset(sandbox.folder / "recorded" / "dataset", root)
    copies = [dataset.copy(one, by) for by in (*_PEOPLE, "Ben") for one in ids.values()]
    ReviewStore(root).set_policy(ReviewPolicy(second_share=1))
    dataset.judge_all(copies, "Bea", _answers("pfp", "ppf", "fpp", "pfp", "pfp", count=len(copies)))
    dataset.judge_all(copies, "Cleo", _answers("pfp", "ppf", "ppp", "pfp", "ppp", count=len(copies)))
    with sandbox.reviewer("Dora", root) as reviewer:
        reviewer.wait_for("for you")
        reviewer.press("Show figures", expect="kappa")
        reviewer.save_image("review-figures")


def _answers(*others: str, count: int) -> list[str]:
    return [others[number // 9 % len(others)] if number % 9 == 4 else "ppp" for number in range(count)]
