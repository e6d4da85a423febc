from pathlib import Path

import pytest

from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.saved import SavedFilters
from odyssey_recorder.errors import FilterError

WANTED = parse_filter('device:"Pixel Fold" -finding:error')


def test_saved_filters_are_read_again_by_name(tmp_path: Path) -> None:
    filters = SavedFilters(tmp_path / "config" / "filters.json")
    assert filters.all() == {}
    filters.save("../../to export", WANTED)
    filters.save("a", parse_filter("milk"))
    assert SavedFilters(tmp_path / "config" / "filters.json").all() == {"../../to export": str(WANTED), "a": "milk"}
    assert filters.get("../../to export") == WANTED
    assert {path.name for path in tmp_path.rglob("*")} <= {"config", "filters.json", "filters.json.lock"}
    filters.save("../../to export", None)
    with pytest.raises(FilterError, match=r"no saved filter.*Saved: a"):
        filters.get("../../to export")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 81])
def test_invalid_name_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(FilterError, match="one line of 1 to 80"):
        SavedFilters(tmp_path / "filters.json").save(name, WANTED)


@pytest.mark.parametrize("text", ["{", '{"version": 2, "filters": {}}', "[]"])
def test_unreadable_file_is_left_unchanged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "filters.json"
    path.write_text(text)
    with pytest.raises(FilterError, match="Move it away"):
        SavedFilters(path).save("a", WANTED)
    assert path.read_text() == text
