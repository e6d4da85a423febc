from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.model import Usage
from odyssey_recorder.llm.prices import read_prices

OWN = """
date = 2027-02-01

[[models]]
name = "gpt-6-luna"
input = 1
output = 2.5

[[models]]
name = "qwen*"
input = 0
output = 0
"""


@pytest.fixture
def user_table(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(OWN)
    return file


def test_prices_are_per_million_tokens() -> None:
    luna = read_prices().of("gpt-6-luna")
    assert luna.cost(Usage(1_000_000, 0)) == pytest.approx(0.10)
    assert luna.cost(Usage(0, 2_000_000)) == pytest.approx(1.00)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gpt-6-luna", True),
        ("gpt-6-luna-2026-09-30", True),
        ("gpt-6-luna-20260930", True),
        ("gpt-6-luna-mini", False),
        ("gpt-6", False),
        ("", False),
    ],
)
def test_model_names_match_with_or_without_a_date(name: str, known: bool) -> None:
    assert (read_prices().of(name).cost(Usage(1, 1)) is not None) == known


def test_dated_model_has_its_own_shutdown_date() -> None:
    prices = read_prices()
    assert prices.of("gpt-4o").ends == date(2027, 1, 14)
    assert prices.of("gpt-4o-2024-05-13").ends == date(2026, 10, 23)
    assert prices.of("gpt-6-luna").ends is None


def test_first_known_name_counts_without_a_user_table(tmp_path: Path) -> None:
    assert read_prices(tmp_path / "none.toml").of("a-deployment", "gpt-6-luna").name == "gpt-6-luna"


def test_user_table_overrides_the_shipped_one(user_table: Path) -> None:
    prices = read_prices(user_table)
    assert prices.date == date(2027, 2, 1)
    assert prices.of("gpt-6-luna").cost(Usage(1_000_000, 1_000_000)) == 3.5
    assert prices.of("qwen3-vl:8b").cost(Usage(9, 9)) == 0
    assert prices.of("gpt-4o").ends == date(2027, 1, 14)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (OWN.replace("input = 1", "input = -1"), r"models\.0\.input"),
        (OWN.replace("output", "outptu"), r"models\.0\.outptu"),
        (OWN.replace("date = 2027-02-01", ""), "date"),
        (OWN.replace('"', ""), "cannot be read"),
    ],
)
def test_invalid_table_is_reported_with_file_and_key(user_table: Path, words: str, fault: str) -> None:
    user_table.write_text(words)
    with pytest.raises(LanguageModelError, match=fault) as raised:
        read_prices(user_table)
    assert str(user_table) in str(raised.value)
