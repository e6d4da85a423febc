"""Fakes of the checks of one episode, for tests of what runs them; worker processes import them by name."""

import os

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity

CRASHING = "0000000000000007"


def fake_check(evidence: EpisodeEvidence) -> EpisodeReport:
    episode_id = evidence.episode.episode_id
    unusable = [
        Finding("IMG01", Severity.ERROR, Criterion.SCREENSHOTS, episode_id, step.number, problem, "Bring it back.")
        for step in evidence.steps
        if (problem := "it is missing" if step.screenshot is None else step.screenshot.problem)
    ]
    surplus = [
        Finding("IMG02", Severity.WARNING, Criterion.SCREENSHOTS, episode_id, None, f"{name} is too many.", "Move it.")
        for name in evidence.surplus
    ]
    return EpisodeReport(episode_id, (*unusable, *surplus), (NotChecked("EPI06", "it needs a model"),))


def crashing_check(evidence: EpisodeEvidence) -> EpisodeReport:
    """Kills its process at one episode."""
    if evidence.episode.episode_id == CRASHING:
        os._exit(9)
    return fake_check(evidence)
