"""The frame around every web page: address bar, menu, bookmarks and history."""

from collections.abc import Sequence

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.apps.web_pages import (
    Article,
    article_at,
    is_address,
    suggestions,
)
from odyssey_recorder.simulator.ui.controls import Icon, Text, TextField
from odyssey_recorder.simulator.ui.layout import Row, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    app_icon,
    empty_page,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    search_bar,
)


class Surfer(App):
    bookmarks: list[str]
    visited: list[str]
    searched: list[str]

    def turn_bookmark(self, address: str) -> bool:
        if address in self.bookmarks:
            self.bookmarks.remove(address)
            return False
        self.bookmarks.insert(0, address)
        return True

    def page_for(self, words: str) -> Page:
        raise NotImplementedError


class WebPage(Page):
    app: Surfer
    address = ""

    def build(self, look: Look) -> View:
        return page_frame(self._bar(), self.content(look))

    def content(self, look: Look) -> View:
        raise NotImplementedError

    def _bar(self) -> View:
        words = Text(self.address or "Search or type web address", 15, lines=1, color="on_surface_variant", flex=1)
        sign = Icon("lock-outline" if self.address else "magnify", 18)
        line = Surface(
            Row((sign, words), gap=10, pad=(16, 0)),
            color="surface_high",
            radius=22,
            height=44,
            align="start",
            on_tap=self._edit,
            desc="Address bar",
            flex=1,
        )
        more = icon_button("dots-vertical", "More options", self.shows("menu"))
        home = icon_button("home-outline", "Open the home page", self._home)
        return Surface(Row((home, line, *self.actions(), more), gap=2, pad=(4, 8)), fill=True)

    def actions(self) -> Sequence[View]:
        return ()

    def build_overlay(self, look: Look) -> View | None:
        return menu(
            ("home-outline", "New search", self._edit),
            ("bookmark-multiple-outline", "Bookmarks", self._bookmarks),
            ("history", "History", self._history),
            *self.offers(),
        )

    def offers(self) -> Sequence[tuple[str, str, Action]]:
        return ()

    def _edit(self) -> None:
        self.show("")
        page = AddressPage(self.app, self.address)
        page.focus("address")
        self.go(page)

    def _home(self) -> None:
        del self.app.pages[1:]
        self.app.pages[0] = self.app.first_page()

    def _bookmarks(self) -> None:
        self.show("")
        self.go(LinksPage(self.app, "Bookmarks"))

    def _history(self) -> None:
        self.show("")
        self.go(LinksPage(self.app, "History"))

    def visit(self, words: str) -> None:
        self.go(self.app.page_for(words))


class AddressPage(Page):
    app: Surfer
    title = "Address"

    def __init__(self, app: Surfer, address: str) -> None:
        super().__init__(app)
        self.address = address
        self.typed = ""

    def build(self, look: Look) -> View:
        field = TextField(
            "address", self.typed, self._type, hint="Search or type web address", action="go", on_action=self._enter
        )
        bar = search_bar(field, on_up=self.close, clear="Clear text")
        return page_frame(bar, scroll_page(*self._rows(), key="suggestions"))

    def _rows(self) -> list[View]:
        if self.typed:
            rows = [self._row("magnify", self.typed)] if not is_address(self.typed) else [self._row("web", self.typed)]
            return rows + [self._row("file-document-outline", title) for title in suggestions(self.typed)]
        rows = [self._row("history", words) for words in self.app.searched]
        if self.address:
            copy = icon_button("content-copy", "Copy link", lambda: self.system.copy(f"https://{self.address}"))
            edit = icon_button("pencil-outline", "Edit address", lambda: self._type(self.address))
            rows.insert(0, list_item("This page", self.address, icon="web", trail=Row((copy, edit)), lines=1))
        return rows

    def _row(self, icon: str, words: str) -> View:
        return list_item(words, icon=icon, on_tap=lambda: self._open(words))

    def _type(self, words: str) -> None:
        self.typed = words

    def _enter(self) -> None:
        if self.typed.strip():
            self._open(self.typed)

    def _open(self, words: str) -> None:
        self.close()
        self.go(self.app.page_for(words))


class LinksPage(Page):
    app: Surfer

    def __init__(self, app: Surfer, title: str) -> None:
        super().__init__(app)
        self.title = title

    @property
    def _addresses(self) -> list[str]:
        return self.app.bookmarks if self.title == "Bookmarks" else self.app.visited

    def build(self, look: Look) -> View:
        actions = (
            (icon_button("delete-sweep-outline", "Clear history", lambda: self.app.visited.clear()),)
            if self.title == "History"
            else ()
        )
        bar = app_bar(self.title, *actions, on_up=self.close)
        found = [article for article in map(article_at, self._addresses) if article]
        if not found:
            words = "No bookmarks yet" if self.title == "Bookmarks" else "No history yet"
            return page_frame(bar, empty_page("bookmark-off-outline", words))
        return page_frame(bar, scroll_page(*(self._row(article) for article in found)))

    def _row(self, article: Article) -> View:
        remove = icon_button("close", f"Remove {article.title}", lambda: self._addresses.remove(article.address))
        return list_item(
            article.title,
            article.address,
            lead=app_icon(article.icon, article.color, 40),
            trail=remove,
            on_tap=lambda: self.go(self.app.page_for(article.address)),
            lines=1,
        )
