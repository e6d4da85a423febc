"""Answers of a model that rewrites well and approves everything: for tests and demonstrations.

`python -m tests.llm.stand_in --answer tests.llm.good_model:right` serves it. It is no model: it repeats the task in one
of a few styles, chosen by a hash of the task.
"""

import json
import re
from collections.abc import Collection
from hashlib import sha256

from tests.llm.stand_in import ReceivedRequest, Reply, says, shortest

AGREES = {"missing_requirements": [], "added_requirements": [], "a_entails_b": True, "b_entails_a": True}
_MANNERS = (
    "Could you {}?",
    "Please {}.",
    "I'd like you to {}.",
    "Can you {} for me, please?",
    "Would you be so kind and {}?",
    "When you get round to it, {}.",
    "There is something I need your help with: {}.",
    "I have no hand free, so please {}.",
)
_WITH_APPS = ("{task}, using {apps}", "{task} (in {apps})", "use {apps} to {task}")


def right(request: ReceivedRequest) -> Reply:
    """A complete instruction, a judge's approval, or the shortest answer to anything else."""
    properties = request.schema.get("properties", {})
    if "a_entails_b" in properties:
        return says(AGREES)
    if "instruction" not in properties:
        return shortest(request)
    *_, given = re.finditer(r"<task>\n(.*?)\n</task>", request.words, re.DOTALL)
    task = json.loads(given[1])["task"]
    apps = re.search(r"^Apps: name exactly these.*?: ([\[{].*)$", request.words[given.end() :], re.MULTILINE)
    named = json.loads(apps[1]) if apps else []
    return says({"instruction": in_words(task, named.values() if isinstance(named, dict) else named)})


def in_words(task: str, apps: Collection[str] = ()) -> str:
    """The instruction for a filled task, naming these apps."""
    chance = int(sha256(task.encode()).hexdigest(), 16)
    order = f"{task[0].lower()}{task[1:].rstrip('.')}"
    if apps:
        form = _WITH_APPS[chance // len(_MANNERS) % len(_WITH_APPS)]
        order = form.format(task=order, apps=_listed(*apps))
    return _MANNERS[chance % len(_MANNERS)].format(order)


def _listed(*names: str) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
