"""Answers of the stand-in server as a rewriting model and as a judge."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.llm.good_model import AGREES, right
from tests.llm.stand_in import ReceivedRequest, Reply, Turn, says


@dataclass
class ScriptedModel:
    """`instructions` has the answers for a filled template, first and after faults: texts or turns of the server. Other
    templates get the answers of the good model.

    As a judge it reports an added or missing ("-") requirement for each phrase of `judge_findings` it finds.
    """

    instructions: Mapping[str, Sequence[str | Turn]] = field(default_factory=dict)
    judge_findings: Mapping[str, str] = field(default_factory=dict)
    judge_turn: Turn | None = None

    def __call__(self, request: ReceivedRequest) -> Turn:
        user = request.body["messages"][1]["content"]
        return self._rewrite(request, user) if "instruction" in request.schema["properties"] else self._judge(user)

    def _rewrite(self, request: ReceivedRequest, user: str) -> Turn:
        task = json.loads(_between("task", user))["task"]
        answers = self.instructions.get(task)
        if answers is None:
            return right(request)
        one = answers[min(1 if "<answer>" in user else 0, len(answers) - 1)]
        return says({"instruction": one}) if isinstance(one, str) else one

    def _judge(self, user: str) -> Turn:
        if self.judge_turn is not None:
            return self.judge_turn
        instruction = json.loads(_between("b", user))
        verdict: dict[str, Any] = {**AGREES, "missing_requirements": [], "added_requirements": []}
        for phrase, requirement in self.judge_findings.items():
            if phrase in instruction:
                is_missing = requirement.startswith("-")
                verdict["missing_requirements" if is_missing else "added_requirements"] += [requirement.lstrip("- ")]
                verdict["b_entails_a" if is_missing else "a_entails_b"] = False
        return Reply(json.dumps(verdict))


def _between(mark: str, text: str) -> str:
    found = re.search(rf"<{mark}>\n(.*?)\n</{mark}>", text, re.DOTALL)
    assert found is not None, f"the prompt has no {mark}"
    return found[1]
