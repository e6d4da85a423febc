"""The frame around every web page: address bar, menu, bookmarks and history."""

from collections.abc import Sequence
from functools import partial

from odyssey_simulator.apps.app import App, Offer, Page
from odyssey_simulator.apps.web_pages import Article, article_at, is_address, suggestions
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Surface, row
from odyssey_simulator.ui.view import Look, View


class Surfer(App):
    bookmarks: list[str]
    visited: list[str]
    searched: list[str]

    def page_for(self, text: str) -> Page:
        raise NotImplementedError


class WebPage(Page):
    app: Surfer
    address = ""

    def build(self, look: Look) -> View:
        return ui.page_frame(self._bar(), self.content(look))

    def content(self, look: Look) -> View:
        raise NotImplementedError

    def _bar(self) -> View:
        text = Text(self.address or "Search or type web address", 15, lines=1, color="on_surface_variant", flex=1)
        line = Surface(
            row(Icon("lock-outline" if self.address else "magnify", 18), text, gap=10, pad=(16, 0)),
            color="surface_high",
            radius=22,
            height=44,
            align="start",
            on_tap=self.edit,
            desc="Address bar",
            flex=1,
        )
        more = ui.icon_button("dots-vertical", "More options", self.shows("menu"))
        home = ui.icon_button("home-outline", "Open the home page", self._home)
        return Surface(row(home, line, *self.actions(), more, gap=2, pad=(4, 8)), fill=True)

    def actions(self) -> Sequence[View]:
        return ()

    def build_overlay(self, look: Look) -> View | None:
        return self.menu(
            ("home-outline", "New search", self.edit),
            ("bookmark-multiple-outline", "Bookmarks", lambda: self.go(BookmarksPage(self.app))),
            ("history", "History", lambda: self.go(HistoryPage(self.app))),
            *self.offers(),
        )

    def offers(self) -> Sequence[Offer]:
        return ()

    def edit(self) -> None:
        self.go(AddressPage(self.app, self.address), focus="address")

    def _home(self) -> None:
        del self.app.pages[1:]
        self.app.pages[0] = self.app.first_page()

    def visit(self, text: str) -> None:
        self.go(self.app.page_for(text))


class AddressPage(Page):
    app: Surfer

    def __init__(self, app: Surfer, address: str) -> None:
        super().__init__(app)
        self.present = address
        self.address = ""

    def build(self, look: Look) -> View:
        field = self.field("address", "Search or type web address", action="go", on_action=self._enter)
        bar = ui.search_bar(field, on_up=self.close, clear="Clear text")
        return ui.page_frame(bar, ui.scroll_page(*self._rows(), key="suggestions"))

    def _rows(self) -> list[View]:
        if typed := self.address:
            first = self._row("web" if is_address(typed) else "magnify", typed)
            return [first, *(self._row("file-document-outline", title) for title in suggestions(typed))]
        rows = [self._row("history", text) for text in self.app.searched]
        if self.present:
            copy = ui.icon_button("content-copy", "Copy link", partial(self.system.copy, f"https://{self.present}"))
            edit = ui.icon_button("pencil-outline", "Edit address", self.puts("address", self.present))
            rows.insert(0, ui.list_item("This page", self.present, icon="web", trail=row(copy, edit), lines=1))
        return rows

    def _row(self, icon: str, text: str) -> View:
        return ui.list_item(text, icon=icon, on_tap=partial(self._open, text))

    def _enter(self) -> None:
        if self.address.strip():
            self._open(self.address)

    def _open(self, text: str) -> None:
        self.close()
        self.go(self.app.page_for(text))


class LinksPage(Page):
    app: Surfer

    def links_page(self, title: str, addresses: list[str], *actions: View) -> View:
        bar = ui.app_bar(title, *actions, on_up=self.close)
        rows = [self._row(article, addresses) for article in map(article_at, addresses) if article]
        nothing = ui.empty_page("bookmark-off-outline", f"No {title.lower()} yet")
        return ui.page_frame(bar, ui.scroll_page(*rows) if rows else nothing)

    def _row(self, article: Article, addresses: list[str]) -> View:
        remove = partial(addresses.remove, article.address)
        return ui.list_item(
            article.title,
            article.address,
            lead=ui.app_icon(article.icon, article.color, 40),
            trail=ui.icon_button("close", f"Remove {article.title}", remove),
            on_tap=lambda: self.go(self.app.page_for(article.address)),
            lines=1,
        )


class BookmarksPage(LinksPage):
    def build(self, look: Look) -> View:
        return self.links_page("Bookmarks", self.app.bookmarks)


class HistoryPage(LinksPage):
    def build(self, look: Look) -> View:
        visited = self.app.visited
        return self.links_page(
            "History", visited, ui.icon_button("delete-sweep-outline", "Clear history", visited.clear)
        )
