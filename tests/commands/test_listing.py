import json
from hashlib import sha256

from odyssey_recorder.dataset.layout import annotation_path
from tests.cli import CommandLine
from tests.dataset.drafts import provenance_of
from tests.dataset_index.datasets import put, write
from tests.dataset_index.test_index import DONE, facts, ids


def test_filtered_episodes_are_listed_unless_the_filter_is_invalid(cli: CommandLine) -> None:
    for number, category in enumerate(("Multi_Apps", "Web_Shopping", "Web_Shopping")):
        write(cli.dataset, facts(number, category=category), DONE)
    result = cli("list", "--filter", "category:web_shopping", "--save", "shops")
    assert (result.exit_code, [line[:16] for line in result.out.splitlines()]) == (0, [*ids(1, 2)])
    assert "2 of 3 episodes" in result.err
    found = cli.json("list", "--saved", "shops", "--filter", '-"number 1"')
    assert [one["episode_id"] for one in found] == [*ids(2)]
    assert "Did you mean “device:”?" in cli.error("list", "--filter", "devise:x")


def test_filter_on_findings_reports_unchecked_episodes(cli: CommandLine) -> None:
    write(cli.dataset, facts(0), DONE)
    assert "The findings of 1 episode are unknown" in cli("list", "--filter", "finding:error").err
    result = cli("list", "--filter", "finding:error", "--check")
    assert (result.out[:16], "unknown" in result.err) == (ids(0)[0], False)  # its screenshots are missing


def test_json_of_an_episode_has_these_keys(cli: CommandLine) -> None:
    write(cli.dataset, facts(0), DONE)
    [listed] = cli.json("list")
    digest = sha256((cli.dataset / annotation_path(*ids(0))).read_bytes()).hexdigest()
    assert listed == {
        "episode_id": ids(0)[0], "instruction": "Buy milk number 0.", "category": "Multi_Apps", "template": "Do {}.",
        "apps": ["Chrome"], "device": "Pixel Fold", "size": [720, 1280], "steps": 2, "ending": "complete",
        "annotator": "", "task_id": "", "recorded_at": None, "published_at": None, "verdict": "Unreviewed",
        "is_checked": False, "errors": 0, "warnings": 0, "splits": [], "sha256": digest, "problem": "",
    }  # fmt: skip
    provenance = provenance_of(ids(0)[0], annotator="Ada").model_dump(mode="json")
    put(cli.dataset / "provenance" / f"{ids(0)[0]}.json", json.dumps(provenance).encode())
    [recorded] = cli.json("list")
    assert [*recorded] == [*listed]
    assert (recorded["annotator"], recorded["recorded_at"]) == ("Ada", "1970-01-01T00:00:00+00:00")
