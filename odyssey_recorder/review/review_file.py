"""The form of review files, and what it accepts from other programs."""

from pydantic import TypeAdapter

from odyssey_recorder.dataset.entry_file import Form, with_id
from odyssey_recorder.model.episode import Json
from odyssey_recorder.review.review import Entry, ReviewFile


def completed(tree: dict[str, Json]) -> dict[str, Json]:
    full = dict(tree)
    if "kind" not in full and "decision" in full:
        full["kind"] = "verdict"
    if "judgements" not in full and isinstance(full.get("answers"), dict):
        answers = full.pop("answers")
        assert isinstance(answers, dict)
        full["judgements"] = [
            {"criterion": criterion, **(answer if isinstance(answer, dict) else {"answer": answer})}
            for criterion, answer in answers.items()
        ]
    return with_id(full)


REVIEW_FORM: Form[ReviewFile] = Form("reviews", ReviewFile, TypeAdapter(Entry), "by", completed)
