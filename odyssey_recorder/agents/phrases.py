"""How a grammar writes actions: a phrase for each kind that it has words for."""

import json
from collections.abc import Callable, Mapping
from string import Template

from odyssey_recorder.agents.adapter import Said
from odyssey_recorder.agents.frames import CoordinateFrame, finger_direction, view_direction
from odyssey_recorder.model import action as actions


def writer(around: str = "%s", **phrases: str) -> Callable[[actions.Action, CoordinateFrame], str | None]:
    """Writes an action as the phrase of its kind; None for a kind without one. A COMPLETE with a text may be an ANSWER.

    In a phrase `$x` and `$y` are the place, `$x2` and `$y2` the end of a scroll, `$finger`, `$FINGER` and `$view` its
    direction. Its text is `$text` as it is, `$json` or `$python` as a literal, and `$untabbed` without tabs.
    """
    templates = {kind: Template(around % phrase) for kind, phrase in phrases.items()}

    def write(action: actions.Action, frame: CoordinateFrame) -> str | None:
        is_answer = "ANSWER" in templates and isinstance(action, actions.Complete) and action.note
        phrase = templates.get("ANSWER" if is_answer else actions.action_type(action))
        return None if phrase is None else phrase.substitute(_values(action, frame))

    return write


def form(whole: str) -> Callable[[str, Said], str]:
    """A whole answer: `$call` is the written action; `$thought`, `$sentence` and `$summary` are said with it."""
    template = Template(whole)
    return lambda call, said: template.substitute(
        call=call, thought=said.thought, sentence=said.sentence, summary=said.summary
    )


def _values(action: actions.Action, frame: CoordinateFrame) -> Mapping[str, object]:
    match action:
        case actions.Click(point) | actions.LongPress(point):
            x, y = frame.place(point)
            return {"x": x, "y": y}
        case actions.Scroll(start, end):
            (x, y), (x2, y2) = frame.place(start), frame.place(end)
            ways = {"finger": finger_direction(action).lower(), "view": view_direction(action).lower()}
            return {"x": x, "y": y, "x2": x2, "y2": y2, **ways, "FINGER": ways["finger"].upper()}
        case actions.Type(text) | actions.Complete(text) | actions.Impossible(text):
            literals = {"json": json.dumps(text, ensure_ascii=False), "python": repr(text)}
            return {"text": text, "untabbed": text.replace("\t", " "), **literals}
        case actions.Press():
            return {}
