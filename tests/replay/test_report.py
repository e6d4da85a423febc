import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from odyssey_recorder.device.device import OnTyped
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, Type
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.replay.player import LEFTOVERS, Player, PlayRules, ReplayResult
from odyssey_recorder.replay.recorded import open_recorded
from odyssey_recorder.replay.report import render_report, result_as_json
from odyssey_recorder.reports import report_json, write_page
from tests.fakes import FakeDevice
from tests.replay.recordings import AT_ONCE, ONE_OF_EACH, episode_of, write_dataset

MALICIOUS = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "'; alert(1); '",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "</title></style><!--",
    "&lt;b&gt; &amp;",
]


class Page(HTMLParser):
    """The page as a browser parses it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def images(self) -> list[str]:
        return [str(attrs["src"]) for tag, attrs in self.tags if tag == "img"]

    def steps(self) -> list[str]:
        return [str(attrs["class"]) for tag, attrs in self.tags if tag == "details"]


def replayed(
    folder: Path,
    actions: tuple[Action, ...] = ONE_OF_EACH,
    *,
    device: FakeDevice | None = None,
    instruction: str = "Buy.",
    rules: PlayRules = AT_ONCE,
) -> ReplayResult:
    recorded = open_recorded(write_dataset(folder, episode_of(actions, instruction=instruction)))
    return Player(device or FakeDevice(), recorded, rules).play()


class WrongScreenAfterTyping(FakeDevice):
    """A device that shows another screen than the recorded one after typing."""

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        super().type_text(text, on_typed)
        self.show("elsewhere")


def test_report_shows_both_screens_in_one_file(tmp_path: Path) -> None:
    html = render_report(replayed(tmp_path))
    page = Page(html)

    assert page.steps() == ["step match"] * 6
    assert len(page.images()) == 12
    assert "6 of 6" in page.text
    assert "Click at 500, 250" in page.text
    assert all(source.startswith("data:image/webp;base64,") for source in page.images())
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "form", "base"}
    assert all(str(attrs["href"]).startswith("#step-") for tag, attrs in page.tags if tag == "a")
    assert not re.search(r"url\(|@import|https?:", html)


def test_difference_is_marked_and_unreached_steps_are_listed(tmp_path: Path) -> None:
    page = Page(render_report(replayed(tmp_path, device=WrongScreenAfterTyping())))
    assert page.steps() == ["step match", "step match", "step diverged"]
    assert len(page.images()) == 7
    assert "Not reached" in page.text
    assert "Long press at 100, 900" in page.text
    assert "The action was not carried out." in page.text


def test_episode_texts_are_escaped(tmp_path: Path) -> None:
    harmless = {tag for tag, _ in Page(render_report(replayed(tmp_path / "plain"))).tags}
    instruction = " ".join(MALICIOUS)
    actions: tuple[Action, ...] = (Click(Point(1, 1)), *map(Type, MALICIOUS), Impossible(instruction))

    page = Page(render_report(replayed(tmp_path / "evil", actions, instruction=instruction)))

    assert [text for text in (*MALICIOUS, f"Impossible: {instruction}") if text not in page.text] == []
    assert {tag for tag, _ in page.tags} <= harmless
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


def test_very_long_text_is_shortened(tmp_path: Path) -> None:
    long = "word " * 20_000
    page = render_report(replayed(tmp_path, (Type(long), Complete(long)), instruction=long))
    assert len(Page(page).text) < 10_000


def test_other_screen_size_is_noted(tmp_path: Path) -> None:
    scaled = replayed(tmp_path, (Complete(),), device=FakeDevice(Size(720, 1280)), rules=replace(AT_ONCE, scale=True))
    page = Page(render_report(scaled))
    assert "Recorded on a screen of 360x640, replayed on one of 720x1280." in page.text
    assert len(page.images()) == 2


def test_restless_screen_and_tiny_difference_are_noted(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, episode_of([Complete()]))
    device = FakeDevice()
    recorded = device.screenshot(1).copy()
    recorded.putpixel((200, 400), (255, 255, 255))
    recorded.save(open_recorded(path).files.screenshot(0))
    restless = PlayRules(patience_ms=0, settle=SettleRule(still_ms=60_000, cap_ms=1))

    page = Page(render_report(Player(device, open_recorded(path), restless).play()))

    assert "The screen did not settle and was compared as it was." in page.text
    assert "< 0.01% changed" in page.text
    assert page.steps() == ["step match"]


def test_report_replaces_the_previous_one(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("the one before")
    write_page(file, render_report(replayed(tmp_path / "dataset")))
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {entry.name for entry in tmp_path.iterdir()} == {"dataset", "report.html"}


def test_report_as_json(tmp_path: Path) -> None:
    tree = json.loads(report_json(result_as_json(replayed(tmp_path, device=WrongScreenAfterTyping()))))

    assert {key: tree[key] for key in tree if key != "steps"} == {
        "format": 1,
        "episode_id": "0000000000000042",
        "serial": "fake-1",
        "outcome": "diverged",
        "problem": "",
        "advice": f"{LEFTOVERS} Bring them back to how the recording found them, then replay again.",
        "exit_code": 1,
        "step_length": 6,
        "counts": {"match": 2, "drift": 0, "diverged": 1},
    }
    assert tree["steps"][0] == {
        "step_index": 0,
        "action": "CLICK",
        "words": "CLICK 500, 250",
        "verdict": "match",
        "pixel_share": 0.0,
        "likeness": 1.0,
        "changed": [],
        "recorded_size": [360, 640],
        "live_size": [360, 640],
        "settled": True,
        "performed": True,
    }
    assert tree["steps"][2]["changed"]
