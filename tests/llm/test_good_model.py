"""The stand-in's instructions pass the rules and vary in style."""

import json
import subprocess
import sys
from urllib.request import urlopen

import pytest

from odyssey_recorder.task.wording.equivalence import rule_faults
from tests.llm.good_model import AGREES, in_words
from tests.llm.stand_in import MODEL
from tests.task.sample_tasks import catalogue_of, one_task_per_template


@pytest.mark.parametrize("names_apps", [True, False])
def test_rewrites_of_every_template_pass_the_rules(names_apps: bool) -> None:
    tasks = one_task_per_template()
    openings = set()
    for task in tasks:
        words = in_words(task.task.task, task.task.apps if names_apps else ())
        openings.add(words.split()[0])
        assert rule_faults(task, words, names_apps=names_apps, catalogue=catalogue_of(task)) == (), words
    assert len(tasks) > 200
    assert len(openings) > 5


def test_stand_in_server_runs_from_the_command_line() -> None:
    command = [sys.executable, "-m", "tests.llm.stand_in", "--answer", "tests.llm.good_model:right"]
    properties: dict[str, object] = {key: {} for key in AGREES}
    question = {
        "model": MODEL,
        "store": False,
        "messages": [],
        "response_format": {"type": "json_schema", "json_schema": {"schema": {"properties": properties}}},
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            url = program.stdout.readline().strip()
            with urlopen(f"{url}/chat/completions", json.dumps(question).encode(), timeout=10) as reply:
                answer = json.load(reply)
        finally:
            program.terminate()
    assert json.loads(answer["choices"][0]["message"]["content"]) == AGREES
