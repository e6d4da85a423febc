"""Answers of a rewriting model that adds requirements to some tasks: a price, or an uncle."""

import json
from collections.abc import Mapping

from tests.llm.good_model import AGREES, right
from tests.llm.stand_in import Asked, Behaviour, Says, says

PRICE = " for less than 50 dollars"
"""An addition that the rules find."""
UNCLE = " and show it to my uncle"
"""An addition that only the judge finds."""

_FINDS = {**AGREES, "added_requirements": ["It must be shown to the uncle."], "a_entails_b": False}


def careless(adds: Mapping[str, str]) -> Behaviour:
    """A model that adds something to each task that contains certain words."""

    def behaviour(asked: Asked) -> Says:
        told = right(asked)
        if "a_entails_b" in asked.schema["properties"]:
            return says(_FINDS) if UNCLE in asked.words else told
        said = json.loads(told.raw)["instruction"]
        task = asked.words.rpartition("<task>")[2]
        added = next((more for words, more in adds.items() if words in task), "")
        return says({"instruction": f"{said[:-1]}{added}{said[-1]}"})

    return behaviour
