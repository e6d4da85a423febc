"""Origins of instructions, for the tests of their descriptions."""

from dataclasses import replace
from datetime import UTC, datetime

from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer

CALL = ModelCall(
    "rewrite/1", "m-1", "m-1-0301", "https://llm.example", datetime(2026, 11, 21, 12, 0, tzinfo=UTC), 1312, 41, 0.0021
)
PHRASED = TextOrigin(Writer.PHRASING)
BY_MODEL = TextOrigin(Writer.MODEL, call=CALL, equivalence=Equivalence(judge=CALL))
FAULTY = replace(BY_MODEL, equivalence=Equivalence(("“yoga” is missing.",), missing=("yoga",), added=("tea",)))
