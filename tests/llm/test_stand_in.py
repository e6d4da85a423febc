"""The stand-in server as a program of its own."""

import json
import subprocess
import sys
from urllib.request import urlopen

from tests.llm.good_model import AGREES
from tests.llm.stand_in import MODEL


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
            with urlopen(f"{url}/chat/completions", json.dumps(question).encode(), timeout=60) as reply:
                answer = json.load(reply)
        finally:
            program.terminate()
    assert json.loads(answer["choices"][0]["message"]["content"]) == AGREES
