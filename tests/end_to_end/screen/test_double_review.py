"""Two reviewers and an arbiter judge many episodes in the window; the figures match their verdicts."""

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.agreement.quality_report import QUESTIONS
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review.review import Rating, Verdict
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.damaged.damaged_episode import DamagedEpisode
from tests.checking.verdicts import reference_kappa
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.sandbox import Sandbox
from tests.end_to_end.screen.window import ROOT

SEED = 675
"""With it, even few episodes have a fail in each answer, and a dispute."""
FIRST, SECOND, THIRD = "Bea", "Cleo", "Dora"
_KEYS = {"p": "qaz", "f": "wsx"}
"""The keys for pass and fail, for each of the three questions."""


@dataclass(frozen=True)
class Opinion:
    """A letter for each question, p(ass) or f(ail), and the key that submits."""

    answers: str
    decision: str

    @property
    def keys(self) -> list[str]:
        """All keys in order; a fail is followed by its first reason."""
        pressed: list[str] = []
        for number, letter in enumerate(self.answers):
            pressed += [_KEYS[letter][number], *(["1"] if letter == "f" else [])]
        return [*pressed, self.decision]


@pytest.fixture
def sandbox(sandbox: Sandbox, recorded: tuple[Path, str], count: int) -> Sandbox:
    """`count` episodes that are each judged twice."""
    clean, episode_id = recorded
    chance = random.Random(SEED)
    for number in range(count):
        wreck = DamagedEpisode(clean, sandbox.store.root, episode_id, chance)
        wreck.task["instruction"] = f"Make the display dark, and show me the world clock: number {number}."
        wreck.save()
    ReviewStore(sandbox.store.root).set_policy(ReviewPolicy(SEED, second_share=1.0))
    return sandbox


def planned_opinions(name: str, count: int) -> list[Opinion]:
    """A reviewer's planned opinions: most pass; the others are sent back, or rejected for their screenshots."""
    chance = random.Random(f"{SEED} {name}")
    chosen = chance.choices(["ppp", "pfp", "fpp", "ppf", "pff"], [70, 12, 8, 6, 4], k=count)
    return [Opinion(answers, _decision(answers)) for answers in chosen]


def _decision(answers: str) -> str:
    if answers == "ppp":
        return "r"
    return "ctrl+d" if answers.startswith("f") else "v"


def review(sandbox: Sandbox, name: str, opinions: list[Opinion]) -> None:
    with sandbox.reviewer(name) as reviewer:
        reviewer.wait_for(f"{len(opinions)} for you")
        reviewer.keys("ctrl+j")
        for done, opinion in enumerate(opinions):
            reviewer.wait_for(f"{len(opinions) - done} for you", "1 of 7 steps seen")
            reviewer.keys(*["Right"] * 6, *opinion.keys)
            _confirm(reviewer, opinion, left=len(opinions) - done - 1)
        reviewer.wait_for("0 for you")


def _confirm(reviewer: Annotator, opinion: Opinion, *, left: int) -> None:
    """Choose the decision again if it came faster than the screens can be read."""
    saved, question = f"{left} for you", "again to save"
    content = reviewer.window.wait_until(lambda c: c.shows(saved) or c.shows(question), "the verdict")
    if not content.shows(saved):
        reviewer.keys(opinion.keys[-1])


def verdicts_of(sandbox: Sandbox, name: str) -> list[tuple[str, Verdict]]:
    store = ReviewStore(sandbox.store.root)
    kept = [(one, verdict) for one in store.ids() for verdict in store.read(one).verdicts if verdict.by == name]
    return sorted(kept, key=lambda pair: pair[1].at)


def answers_of(verdict: Verdict) -> str:
    return "".join("p" if verdict.answer(one) is Rating.PASS else "f" for one in Criterion)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("profile", ["small_phone"], indirect=True)
@pytest.mark.parametrize("count", [pytest.param(40, marks=pytest.mark.soak)])
def test_two_reviewers_and_an_arbiter(sandbox: Sandbox, count: int) -> None:
    given = {name: planned_opinions(name, count) for name in (FIRST, SECOND)}
    for name, opinions in given.items():
        review(sandbox, name, opinions)
        assert [answers_of(verdict) for _, verdict in verdicts_of(sandbox, name)] == [one.answers for one in opinions]
    first, second = (
        {one: opinion for (one, _), opinion in zip(verdicts_of(sandbox, name), given[name], strict=True)}
        for name in (FIRST, SECOND)
    )
    disputed = [one for one in first if first[one].answers != second[one].answers]
    assert disputed
    review(sandbox, THIRD, planned_opinions(THIRD, len(disputed)))
    assert {one for one, _ in verdicts_of(sandbox, THIRD)} == set(disputed)

    kappas = kappas_in_the_report(sandbox)
    for number, criterion in enumerate(Criterion):
        pairs = [(first[one].answers[number], second[one].answers[number]) for one in first]
        assert kappas[QUESTIONS[criterion]] == pytest.approx(reference_kappa(*zip(*pairs, strict=True)))


def kappas_in_the_report(sandbox: Sandbox) -> dict[str, float]:
    """Cohen's kappa of first and second reviewers by question, from the command line's report."""
    command = [sys.executable, "-m", "odyssey_recorder", "quality-report", str(sandbox.store.root), "--json"]
    result = subprocess.run(
        command, cwd=ROOT, env=dict(sandbox.environment), capture_output=True, text=True, check=True
    )
    pairs = next(panel for panel in json.loads(result.stdout)["agreement"] if panel["reviewers"] == 2)
    return {one["question"]: one["kappa"] for one in pairs["questions"]}
