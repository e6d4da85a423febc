"""Answers of a rewriting model that adds requirements to some tasks: a price, or an uncle."""

import json
from collections.abc import Mapping

from tests.llm.good_model import AGREES, right
from tests.llm.stand_in import Behaviour, ReceivedRequest, Reply, says

PRICE = " for less than 50 dollars"
"""An addition that the rules find."""
UNCLE = " and show it to my uncle"
"""An addition that only the judge finds."""

_FINDS = {**AGREES, "added_requirements": ["It must be shown to the uncle."], "a_entails_b": False}


def careless(adds: Mapping[str, str]) -> Behaviour:
    """A model that adds something to each task that contains certain words."""

    def behaviour(request: ReceivedRequest) -> Reply:
        answer = right(request)
        if "a_entails_b" in request.schema["properties"]:
            return says(_FINDS) if UNCLE in request.words else answer
        instruction = json.loads(answer.raw)["instruction"]
        task = request.words.rpartition("<task>")[2]
        added = next((more for words, more in adds.items() if words in task), "")
        return says({"instruction": f"{instruction[:-1]}{added}{instruction[-1]}"})

    return behaviour
