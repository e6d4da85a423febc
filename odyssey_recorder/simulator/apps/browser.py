"""Browser: the start page, search results, and articles to read and copy from."""

from collections.abc import Sequence
from itertools import groupby, zip_longest

from odyssey_recorder.simulator.apps.app import Intent, Page, System
from odyssey_recorder.simulator.apps.browser_frame import Surfer, WebPage
from odyssey_recorder.simulator.apps.web_pages import (
    SEARCH_SITE,
    Article,
    Bullet,
    Cells,
    Heading,
    Link,
    Paragraph,
    article_at,
    articles,
    is_address,
    search,
)
from odyssey_recorder.simulator.ui.controls import Icon, Painter, Picture, Text
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Surface
from odyssey_recorder.simulator.ui.pictures import emblem, landscape
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_icon,
    button,
    card,
    divider,
    icon_button,
    scroll_page,
    selectable,
)

_FIRST_BOOKMARKS = (
    "weather.meridian.example/oslo",
    "harborgazette.example/ferry-line",
    "kitchenhours.example/pancakes",
    "openatlas.example/lisbon",
)


class Browser(Surfer):
    label = "Browser"
    package = "com.odyssey.browser"
    icon = "compass"
    color = "#1a6fd6"
    category = "General_Tool"
    takes = ("view",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.bookmarks = list(_FIRST_BOOKMARKS)
        self.visited = []
        self.searched = []

    def first_page(self) -> Page:
        return StartPage(self)

    def receive(self, intent: Intent) -> Page:
        return self.page_for(intent.text)

    def page_for(self, words: str) -> Page:
        article = article_at(words)
        if article is not None:
            return ArticlePage(self, article)
        if is_address(words):
            return UnreachablePage(self, words.strip())
        self.searched = [words, *(old for old in self.searched if old != words)][:8]
        return ResultsPage(self, words.strip())


def _picture(article: Article) -> Painter:
    return emblem(article.icon, article.color) if article.scene is None else landscape(article.scene)


class StartPage(WebPage):
    def content(self, look: Look) -> View:
        logo = Row(
            (Icon("flare", 40, "primary"), Text("Lumen", 34, 500, "primary")), gap=8, along="center", pad=(0, 14)
        )
        shortcuts = [self._shortcut(article) for article in map(article_at, self.app.bookmarks[:8]) if article]
        first_of_site = {article.site: article for article in reversed(articles())}
        feed = Grid([self._story(article) for article in reversed(first_of_site.values())], min_cell=280, gap=12)
        return scroll_page(
            logo,
            Grid(shortcuts, min_cell=76, gap=4),
            Surface(Text("Discover", 18, 500), pad=(0, 8, 0, 4)),
            feed,
            gap=10,
            pad=(16, 8, 16, 24),
        )

    def _shortcut(self, article: Article) -> View:
        face = Column(
            (app_icon(article.icon, article.color, 48), Text(article.site, 12, lines=2, align="center")),
            gap=6,
            across="center",
            pad=(2, 6),
        )
        return Surface(face, radius=12, on_tap=lambda: self.visit(article.address), desc=article.title)

    def _story(self, article: Article) -> View:
        return card(
            Picture(_picture(article), aspect=2.1, radius=12),
            Text(article.title, 17, 500, lines=2),
            Text(f"{article.site} \u00b7 {article.byline}", 13, color="on_surface_variant", lines=1),
            gap=8,
            pad=(12, 12, 12, 14),
            on_tap=lambda: self.visit(article.address),
            desc=article.title,
        )


class ResultsPage(WebPage):
    title = "Results"

    def __init__(self, app: Browser, query: str) -> None:
        super().__init__(app)
        self.query = query
        self.address = f"{SEARCH_SITE}/?q={'+'.join(query.split())}"
        self.found = [article.address for article in search(query)]

    def content(self, look: Look) -> View:
        found = [article for article in map(article_at, self.found) if article]
        if not found:
            return self._nothing()
        count = "1 result" if len(found) == 1 else f"{len(found)} results"
        parts: list[View] = [
            Text(self.query, 22, 500, lines=2),
            Text(count, 13, color="on_surface_variant"),
        ]
        if found[0].answer:
            parts.append(self._answer(found[0]))
        return scroll_page(*parts, *(self._result(article) for article in found), gap=12, pad=(16, 8, 16, 24))

    def _nothing(self) -> View:
        tips = ("Check the spelling.", "Try fewer or other words.", "Try words that say it more generally.")
        return scroll_page(
            Row((Icon("magnify-close", 56, "outline"),)),
            Text("No results", 24, 500),
            Text(f"Nothing on the web contains all the words of \u201c{self.query}\u201d.", 16),
            *(Text(f"\u2022  {tip}", 15, color="on_surface_variant") for tip in tips),
            Row((button("Search again", self._edit, kind="tonal"),)),
            gap=14,
            pad=24,
        )

    def _answer(self, article: Article) -> View:
        return card(
            Text(article.answer, 20, 500),
            Text(f"From {article.site}", 13, color="on_surface_variant"),
            gap=8,
            color="primary_container",
            on_tap=lambda: self.visit(article.address),
            desc="Quick answer",
        )

    def _result(self, article: Article) -> View:
        site = Column(
            (Text(article.site, 14, 500, lines=1), Text(article.address, 12, color="on_surface_variant", lines=1)),
            flex=1,
            along="start",
        )
        return card(
            Row((app_icon(article.icon, article.color, 32), site), gap=12),
            Text(article.title, 18, 500, "primary", lines=2),
            Text(article.summary, 14, color="on_surface_variant", lines=3),
            gap=8,
            color="surface_low",
            on_tap=lambda: self.visit(article.address),
            desc=article.title,
        )


class UnreachablePage(WebPage):
    title = "Unreachable"

    def __init__(self, app: Browser, address: str) -> None:
        super().__init__(app)
        self.address = address

    def content(self, look: Look) -> View:
        host = self.address.removeprefix("https://").removeprefix("http://").partition("/")[0]
        return scroll_page(
            Row((Icon("web-off", 56, "outline"),)),
            Text("This site can\u2019t be reached", 24, 500),
            Text(f"{host} could not be found. Check the address for a typing error.", 16, color="on_surface_variant"),
            Text("ERR_NAME_NOT_RESOLVED", 13, color="on_surface_variant"),
            Row((button("Search for it", lambda: self.visit(host.replace(".", " ")), kind="tonal"),)),
            gap=14,
            pad=24,
        )


class ArticlePage(WebPage):
    title = "Article"

    def __init__(self, app: Browser, article: Article) -> None:
        super().__init__(app)
        self.article = article
        self.address = article.address
        app.visited = [article.address, *(old for old in app.visited if old != article.address)]

    def actions(self) -> Sequence[View]:
        kept = self.address in self.app.bookmarks
        if kept:
            return (icon_button("star", "Remove bookmark", self._bookmark, color="primary"),)
        return (icon_button("star-outline", "Bookmark this page", self._bookmark),)

    def offers(self) -> Sequence[tuple[str, str, Action]]:
        return (
            ("content-copy", "Copy link", self._copy),
            ("share-variant-outline", "Share", self._share),
        )

    def content(self, look: Look) -> View:
        article = self.article
        return scroll_page(
            Row((app_icon(article.icon, article.color, 28), Text(article.site, 15, 500)), gap=10),
            selectable("headline", article.title, size=28, weight=500),
            Text(article.byline, 14, color="on_surface_variant"),
            Picture(_picture(article), aspect=2.2, radius=16),
            *self._body(),
            divider(),
            Row((button("Share this page", self._share, kind="outlined", icon="share-variant-outline"),)),
            gap=14,
            pad=(20, 8, 20, 32),
            max_width=720,
        )

    def _body(self) -> list[View]:
        views: list[View] = []
        for is_table, group in groupby(enumerate(self.article.blocks), lambda pair: isinstance(pair[1], Cells)):
            if is_table:
                views.append(_table([block for _, block in group if isinstance(block, Cells)]))
            else:
                views += [self._line(f"text{index}", one) for index, one in group if not isinstance(one, Cells)]
        return views

    def _line(self, key: str, block: Heading | Paragraph | Bullet | Link) -> View:
        match block:
            case Heading(text):
                return Surface(selectable(key, text, size=20, weight=500), pad=(0, 8, 0, 0))
            case Paragraph(text):
                return selectable(key, text)
            case Bullet(text):
                return Row((Text("\u2022", 16), Surface(selectable(key, text), flex=1)), gap=12, across="start")
            case Link(address, label):
                return Surface(
                    Row((Icon("arrow-right", 20, "primary"), Text(label, 16, 500, "primary", flex=1)), gap=10),
                    pad=(0, 8),
                    on_tap=lambda: self.visit(address),
                    desc=label,
                )

    def _bookmark(self) -> None:
        kept = self.app.turn_bookmark(self.address)
        self.system.toast("Bookmark added" if kept else "Bookmark removed")

    def _copy(self) -> None:
        self.show("")
        self.system.copy(self.article.url)

    def _share(self) -> None:
        self.system.share(f"{self.article.title}\n{self.article.url}", subject=self.article.title)


def _table(rows: Sequence[Cells]) -> View:
    shares = [max(4, *map(len, column)) for column in zip_longest(*(row.texts for row in rows), fillvalue="")]
    views: list[View] = []
    for number, row in enumerate(rows):
        weight = 500 if number == 0 else 400
        cells = [Text(text, 14, weight, flex=share) for text, share in zip(row.texts, shares, strict=False)]
        views += [divider()] * (number > 0) + [Row(cells, gap=10, pad=(14, 10))]
    return Surface(Column(views), color="surface_low", radius=12)
