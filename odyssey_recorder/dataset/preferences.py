"""Preference pairs: an agent's action that a person rejected, and the one that the person showed on the same screen."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from odyssey_recorder.dataset.codec import action_from_json
from odyssey_recorder.dataset.provenance import AgentRecord, EpisodeProvenance
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.plain_text import step_number


@dataclass(frozen=True, slots=True)
class PreferencePair:
    """At `step` the person did `chosen`; `agent` has the answer that meant `rejected`."""

    step: int
    chosen: Action
    rejected: Action
    agent: AgentRecord


def preference_pairs(episode: Episode, provenance: EpisodeProvenance) -> Iterator[PreferencePair]:
    """Of the steps that a person showed on the screen that the agent had judged.

    The chosen action is that of the episode, as later amended. Rejected actions that are unreadable are left out.
    """
    for number, (step, record) in enumerate(zip(episode.steps, provenance.steps, strict=False)):
        is_elsewhere = any(flag.code is FlagCode.UNLIKE for flag in record.flags)
        if record.agent is not None or is_elsewhere:
            continue
        for refused in record.rejected:
            with suppress(InvalidEpisodeError):
                rejected = action_from_json(refused.action, source=f"{episode.episode_id}, step {step_number(number)}")
                if rejected != step.action:
                    yield PreferencePair(number, step.action, rejected, refused.agent)
