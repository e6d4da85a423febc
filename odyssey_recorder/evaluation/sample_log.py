"""The verdicts on single steps as JSON Lines: what was true, what was predicted, and how each protocol judges it.

docs/evaluation.md describes the keys.
"""

import json
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from odyssey_recorder.curation.redaction import read_redaction
from odyssey_recorder.evaluation import scores
from odyssey_recorder.evaluation.judged_steps import JudgedStep, StepsWanted, judged_steps
from odyssey_recorder.evaluation.protocols import PROTOCOLS
from odyssey_recorder.evaluation.report import Evaluation
from odyssey_recorder.model.episode import Json


def sample_log(root: Path, found: Evaluation) -> Iterator[bytes]:
    """A line for each step, in the order of the episodes; redacted words are replaced. Raises DatasetError.

    Of a step that was predicted twice, the later prediction counts here.
    """
    gold, by_protocol = found.scored.gold, {}
    for name, rules in PROTOCOLS.items():
        scored = scores.score(gold, found.placed, rules)
        also = scores.by_step(scores.with_alternatives(scored))
        steps, _ = judged_steps(scored, None, StepsWanted("all"), len(gold.kind) + len(scored.rows))
        by_protocol[name] = {step.row: (step, bool(also[step.row] == 1)) for step in steps}
    redaction = lru_cache(8)(partial(read_redaction, root))
    for row, (step, _) in sorted(by_protocol["official"].items()):
        redacted = redaction(step.episode_id)
        hide = str if redacted is None else redacted.without_words
        tree: dict[str, Json] = {
            "model": found.model, "predictions": found.asked.predictions, "split": found.asked.split,
            "episode_id": step.episode_id, "step_index": step.step, "truth": hide(step.truth),
            "alternatives": [hide(one) for one in gold.alternatives.get(row, ())],
            "predicted": None if step.said is None else hide(step.said),
            "protocols": {name: _verdict(*verdicts[row]) for name, verdicts in by_protocol.items()},
        }  # fmt: skip
        yield json.dumps(tree).encode() + b"\n"


def _verdict(step: JudgedStep, also: bool) -> Json:
    return {"right": step.is_right, "why": step.verdict, "right_with_alternatives": step.is_right or also}
