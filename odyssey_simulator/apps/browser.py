"""Browser: the start page, search results, and articles to read and copy from."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby, zip_longest

from odyssey_simulator.apps.app import Intent, Offer, Page, System
from odyssey_simulator.apps.browser_frame import Surfer, WebPage
from odyssey_simulator.apps.web_pages import (
    SEARCH_SITE,
    Article,
    Cells,
    Link,
    PageText,
    article_at,
    articles,
    is_address,
    search,
)
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Icon, Painter, Picture, Text
from odyssey_simulator.ui.images import emblem, landscape
from odyssey_simulator.ui.layout import Grid, Surface, column, row
from odyssey_simulator.ui.view import Look, View

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

    def page_for(self, text: str) -> Page:
        article = article_at(text)
        if article is not None:
            return ArticlePage(self, article)
        if is_address(text):
            return UnreachablePage(self, text.strip())
        self.searched = [text, *(old for old in self.searched if old != text)][:8]
        return ResultsPage(self, text.strip())


def _image(article: Article) -> Painter:
    return emblem(article.icon, article.color) if article.scene is None else landscape(article.scene)


class StartPage(WebPage):
    def content(self, look: Look) -> View:
        logo = row(Icon("flare", 40, "primary"), Text("Lumen", 34, 500, "primary"), gap=8, along="center", pad=(0, 14))
        shortcuts = [self._shortcut(article) for article in map(article_at, self.app.bookmarks[:8]) if article]
        first_of_site = {article.site: article for article in reversed(articles())}
        feed = Grid([self._story(article) for article in reversed(first_of_site.values())], min_cell=280, gap=12)
        return ui.scroll_page(
            logo,
            Grid(shortcuts, min_cell=76, gap=4),
            Surface(Text("Discover", 18, 500), pad=(0, 8, 0, 4)),
            feed,
            gap=10,
            pad=(16, 8, 16, 24),
        )

    def _shortcut(self, article: Article) -> View:
        face = column(
            ui.app_icon(article.icon, article.color, 48),
            Text(article.site, 12, lines=2, align="center"),
            gap=6,
            across="center",
            pad=(2, 6),
        )
        return Surface(face, radius=12, on_tap=partial(self.visit, article.address), desc=article.title)

    def _story(self, article: Article) -> View:
        return ui.card(
            Picture(_image(article), aspect=2.1, radius=12),
            Text(article.title, 17, 500, lines=2),
            ui.muted(f"{article.site} \u00b7 {article.byline}", 13, lines=1),
            gap=8,
            pad=(12, 12, 12, 14),
            on_tap=partial(self.visit, article.address),
            desc=article.title,
        )


class ResultsPage(WebPage):
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
        answer = [self._answer(found[0])] if found[0].answer else []
        parts = (Text(self.query, 22, 500, lines=2), ui.muted(count, 13), *answer, *map(self._result, found))
        return ui.scroll_page(*parts, gap=12, pad=(16, 8, 16, 24))

    def _nothing(self) -> View:
        tips = ("Check the spelling.", "Try fewer or other words.", "Try words that say it more generally.")
        return ui.scroll_page(
            row(Icon("magnify-close", 56, "outline")),
            Text("No results", 24, 500),
            Text(f"Nothing on the web contains all the words of \u201c{self.query}\u201d.", 16),
            *(ui.muted(f"\u2022  {tip}", 15) for tip in tips),
            row(ui.button("Search again", self.edit, kind="tonal")),
            gap=14,
            pad=24,
        )

    def _answer(self, article: Article) -> View:
        return ui.card(
            Text(article.answer, 20, 500),
            ui.muted(f"From {article.site}", 13),
            gap=8,
            color="primary_container",
            on_tap=partial(self.visit, article.address),
            desc="Quick answer",
        )

    def _result(self, article: Article) -> View:
        site = column(
            Text(article.site, 14, 500, lines=1),
            Text(article.address, 12, color="on_surface_variant", lines=1),
            flex=1,
            along="start",
        )
        return ui.card(
            row(ui.app_icon(article.icon, article.color, 32), site, gap=12),
            Text(article.title, 18, 500, "primary", lines=2),
            ui.muted(article.summary, lines=3),
            gap=8,
            color="surface_low",
            on_tap=partial(self.visit, article.address),
            desc=article.title,
        )


class UnreachablePage(WebPage):
    def __init__(self, app: Browser, address: str) -> None:
        super().__init__(app)
        self.address = address

    def content(self, look: Look) -> View:
        host = self.address.removeprefix("https://").removeprefix("http://").partition("/")[0]
        return ui.scroll_page(
            row(Icon("web-off", 56, "outline")),
            Text("This site can\u2019t be reached", 24, 500),
            Text(f"{host} could not be found. Check the address for a typing error.", 16, color="on_surface_variant"),
            ui.muted("ERR_NAME_NOT_RESOLVED", 13),
            row(ui.button("Search for it", lambda: self.visit(host.replace(".", " ")), kind="tonal")),
            gap=14,
            pad=24,
        )


class ArticlePage(WebPage):
    def __init__(self, app: Browser, article: Article) -> None:
        super().__init__(app)
        self.article = article
        self.address = article.address
        app.visited = [article.address, *(old for old in app.visited if old != article.address)]

    def actions(self) -> Sequence[View]:
        if self.address in self.app.bookmarks:
            return (ui.icon_button("star", "Remove bookmark", self._bookmark, color="primary"),)
        return (ui.icon_button("star-outline", "Bookmark this page", self._bookmark),)

    def offers(self) -> Sequence[Offer]:
        return (
            ("content-copy", "Copy link", partial(self.system.copy, self.article.url)),
            ("share-variant-outline", "Share", self._share),
        )

    def content(self, look: Look) -> View:
        article = self.article
        return ui.scroll_page(
            row(ui.app_icon(article.icon, article.color, 28), Text(article.site, 15, 500), gap=10),
            ui.selectable("headline", article.title, size=28, weight=500),
            ui.muted(article.byline),
            Picture(_image(article), aspect=2.2, radius=16),
            *self._body(),
            Divider(),
            row(ui.button("Share this page", self._share, kind="outlined", icon="share-variant-outline")),
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
                views += [self._line(f"text{index}", text) for index, text in group if not isinstance(text, Cells)]
        return views

    def _line(self, key: str, block: PageText | Link) -> View:
        match block:
            case PageText("heading", text):
                return Surface(ui.selectable(key, text, size=20, weight=500), pad=(0, 8, 0, 0))
            case PageText("bullet", text):
                return row(Text("\u2022", 16), Surface(ui.selectable(key, text), flex=1), gap=12, across="start")
            case PageText(_, text):
                return ui.selectable(key, text)
            case Link(address, label):
                return Surface(
                    row(Icon("arrow-right", 20, "primary"), Text(label, 16, 500, "primary", flex=1), gap=10),
                    pad=(0, 8),
                    on_tap=partial(self.visit, address),
                    desc=label,
                )

    def _bookmark(self) -> None:
        was_kept = self.address in self.app.bookmarks
        self.switches(self.address, among=self.app.bookmarks)()
        self.system.toast("Bookmark removed" if was_kept else "Bookmark added")

    def _share(self) -> None:
        self.system.share(f"{self.article.title}\n{self.article.url}", subject=self.article.title)


def _table(rows: Sequence[Cells]) -> View:
    shares = [max(4, *map(len, texts)) for texts in zip_longest(*(record.texts for record in rows), fillvalue="")]
    views: list[View] = []
    for number, record in enumerate(rows):
        weight = 500 if number == 0 else 400
        cells = [Text(text, 14, weight, flex=share) for text, share in zip(record.texts, shares, strict=False)]
        views += [Divider()] * (number > 0) + [row(*cells, gap=10, pad=(14, 10))]
    return Surface(column(*views), color="surface_low", radius=12)
