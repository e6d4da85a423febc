"""Shop: the start page with search, filters and sorting, the product page, and saved products."""

from functools import partial

from odyssey_recorder.simulator.apps.app import Page, System
from odyssey_recorder.simulator.apps.goods import ORDERS, Product, Review, Wish, categories, find, money, product
from odyssey_recorder.simulator.apps.purchases import Account
from odyssey_recorder.simulator.apps.shop_cart import CartPage, OrdersPage, Storefront, shop_tabs
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Scroll, Spacer, Surface
from odyssey_recorder.simulator.ui.pictures import emblem
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    bottom_sheet,
    button,
    card,
    centered,
    chip,
    divider,
    empty_page,
    icon_button,
    page_frame,
    radio_item,
    scroll_page,
    search_box,
    selectable,
)

_CEILINGS = (25_00, 50_00, 100_00, 200_00)
_AUTHOR_COLORS = ("#7a5195", "#2f7f86", "#b5573c", "#4f7a3a", "#3a6ea5")


class Shop(Storefront):
    label = "Shop"
    package = "com.odyssey.shop"
    icon = "shopping"
    color = "#d1462f"
    category = "Web_Shopping"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.account = Account()

    def first_page(self) -> Page:
        return WindowPage(self)

    def opens_tab(self, label: str) -> Action:
        return partial(self._open_tab, label)

    def _open_tab(self, label: str) -> None:
        kinds: dict[str, type[Page]] = {"Saved": SavedPage, "Cart": CartPage, "Orders": OrdersPage}
        self.pages[1:] = [kinds[label](self)] if label in kinds else []


def _stars(rating: float, words: str = "", size: float = 16) -> View:
    halves = round(rating * 2)
    names = [
        "star" if halves >= 2 * n else "star-half-full" if halves == 2 * n - 1 else "star-outline" for n in range(1, 6)
    ]
    icons = Row([Icon(name, size, "#e09400") for name in names])
    return Row((icons, Text(words or f"{rating:.1f}", 13, color="on_surface_variant", lines=1)), gap=6)


def _product_card(page: Page, app: Shop, one: Product) -> View:
    saved = one.sku in app.account.saved
    heart = icon_button(
        "heart" if saved else "heart-outline",
        f"{'Remove' if saved else 'Save'} {one.name}",
        lambda: app.account.turn_saved(one.sku),
        color="primary" if saved else "on_surface_variant",
        size=22,
    )
    return card(
        Picture(emblem(one.icon, one.color), aspect=1.15, radius=12),
        Text(one.name, 15, 500, lines=1),
        Text(one.brand, 13, color="on_surface_variant", lines=1),
        _stars(one.rating, f"({one.votes})", 14),
        Row((Text(money(one.price), 18, 700, "primary", flex=1), heart)),
        pad=(10, 10, 10, 4),
        on_tap=lambda: page.go(ProductPage(app, one.sku)),
        desc=one.name,
    )


class WindowPage(Page):
    app: Shop
    title = "Window"
    navigation_color = "surface_container"

    def __init__(self, app: Shop) -> None:
        super().__init__(app)
        self.wish = Wish()

    def build(self, look: Look) -> View:
        found = find(self.wish)
        field = TextField(
            "search", self.wish.query, self.sets("query", of=self.wish), hint="Search Shop", action="search"
        )
        search = centered(search_box(field), 720, pad=(16, 10, 16, 8))
        bar = Column((search, self._chips(), Spacer(6)))
        if found:
            cells = [_product_card(self, self.app, one) for one in found]
            count = Text(f"{len(found)} products" if len(found) > 1 else "1 product", 13, color="on_surface_variant")
            body: View = Scroll(Column((count, Grid(cells, min_cell=150, gap=10)), gap=8, pad=(16, 2, 16, 16)))
        else:
            body = empty_page("magnify-close", "No products found")
        return page_frame(bar, body, bottom=shop_tabs(self.app, "Shop"))

    def _chips(self) -> View:
        filters = bool(self.wish.highest or self.wish.stars)
        sorted_by = "Sort" if self.wish.order == "Featured" else self.wish.order
        chips = [
            chip(sorted_by, icon="sort", selected=self.wish.order != "Featured", on_tap=self.shows("sort")),
            chip("Filter", icon="tune-variant", selected=filters, on_tap=self.shows("filter")),
            *(
                chip(name, selected=name == self.wish.category, on_tap=partial(self._choose_category, name))
                for name in categories()
            ),
        ]
        return Scroll(Row(chips, gap=8, pad=(16, 0)), "chips", sideways=True)

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "sort":
            rows = [
                radio_item(name, checked=name == self.wish.order, on_tap=partial(self._order, name)) for name in ORDERS
            ]
            return bottom_sheet(Text("Sort by", 20, 500), Column(rows), gap=8)
        return bottom_sheet(*self._filters())

    def _filters(self) -> list[View]:
        prices = [
            chip(
                f"Up to {money(cents).removesuffix('.00')}",
                selected=cents == self.wish.highest,
                on_tap=partial(self._limit, cents),
            )
            for cents in _CEILINGS
        ]
        stars = [
            chip(f"{count} stars and up", selected=count == self.wish.stars, on_tap=partial(self._demand, count))
            for count in (4, 3)
        ]
        return [
            Text("Filter", 20, 500),
            Text("Price", 14, 500, "primary"),
            Grid(prices, min_cell=110),
            Text("Rating", 14, 500, "primary"),
            Grid(stars, min_cell=140),
            Row(
                (
                    button("Clear all", self._clear_filters, kind="text"),
                    button(f"Show {len(find(self.wish))} results", self.shows("")),
                ),
                along="end",
                gap=8,
            ),
        ]

    def on_back(self) -> bool:
        if self.wish == Wish():
            return False
        self.wish = Wish()
        return True

    def _choose_category(self, name: str) -> None:
        self.wish.category = "" if name == self.wish.category else name

    def _order(self, name: str) -> None:
        self.wish.order = name
        self.show("")

    def _limit(self, cents: int) -> None:
        self.wish.highest = 0 if cents == self.wish.highest else cents

    def _demand(self, stars: int) -> None:
        self.wish.stars = 0 if stars == self.wish.stars else stars

    def _clear_filters(self) -> None:
        self.wish.highest = self.wish.stars = 0


class ProductPage(Page):
    app: Shop
    title = "Product"

    def __init__(self, app: Shop, sku: str) -> None:
        super().__init__(app)
        self.sku = sku
        self.option = next(iter(product(sku).options), "")

    def build(self, look: Look) -> View:
        one = product(self.sku)
        saved = self.sku in self.app.account.saved
        bar = app_bar(
            "",
            icon_button(
                "heart" if saved else "heart-outline",
                "Remove from saved" if saved else "Save",
                lambda: self.app.account.turn_saved(self.sku),
            ),
            icon_button("share-variant-outline", "Share", self._share),
            icon_button("cart-outline", "Open cart", lambda: self.go(CartPage(self.app))),
            on_up=self.close,
        )
        picture = Picture(emblem(one.icon, one.color), aspect=1.25, radius=20)
        words = Column((*self._head(one), *self._about(one), *self._reviews(one)), gap=14)
        if look.wide:
            columns = Row((Surface(picture, flex=2), Surface(words, flex=3)), gap=28, across="start")
            body = scroll_page(columns, pad=(24, 4, 24, 24), max_width=1160)
        else:
            body = scroll_page(picture, words, gap=16, pad=(16, 0, 16, 24))
        return page_frame(bar, body, bottom=self._foot(one))

    def _head(self, one: Product) -> list[View]:
        kinds = [chip(kind, selected=kind == self.option, on_tap=partial(self._choose, kind)) for kind in one.options]
        head: list[View] = [
            Text(one.brand, 14, 500, "primary"),
            selectable("name", one.name, size=24, weight=500),
            _stars(one.rating, f"{one.rating:.1f} \u00b7 {one.votes} reviews", 18),
            Text(money(one.price), 28, 700),
        ]
        if kinds:
            head.append(Text(one.choice, 14, 500))
            head.append(Scroll(Row(kinds, gap=8), "kinds", sideways=True))
        return head

    def _about(self, one: Product) -> list[View]:
        facts: list[View] = []
        for name, value in one.details:
            facts += [divider()] * bool(facts)
            facts.append(Row((Text(name, 14, color="on_surface_variant", flex=2), Text(value, 14, flex=3)), gap=12))
        return [
            Text("Description", 18, 500),
            selectable("about", one.about),
            card(*facts, gap=10, color="surface_low"),
        ]

    def _reviews(self, one: Product) -> list[View]:
        return [Text("Reviews", 18, 500), *(_review(number, review) for number, review in enumerate(one.reviews))]

    def _foot(self, one: Product) -> View:
        add = button("Add to cart", self._add, icon="cart-plus", fill=True)
        row = Row((Text(money(one.price), 20, 700), Surface(add, flex=1)), gap=20, pad=(20, 10))
        return Surface(centered(row, 720), color="surface_low", fill=True)

    def _choose(self, kind: str) -> None:
        self.option = kind

    def _add(self) -> None:
        self.app.account.add(self.sku, self.option)
        self.system.toast("Added to cart")

    def _share(self) -> None:
        one = product(self.sku)
        link = f"https://shop.halden.example/{one.sku}"
        self.system.share(f"{one.name} by {one.brand}, {money(one.price)}\n{link}", subject=one.name)


def _review(number: int, review: Review) -> View:
    who = Column((Text(review.author, 14, 500), _stars(review.stars, " ", 14)), gap=2, flex=1, along="start")
    face = avatar(review.author, _AUTHOR_COLORS[len(review.author) % len(_AUTHOR_COLORS)], 36)
    return card(
        Row((face, who), gap=12), selectable(f"review{number}", review.text, size=15), gap=10, color="surface_low"
    )


class SavedPage(Page):
    app: Shop
    title = "Saved"
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        saved = [product(sku) for sku in self.app.account.saved]
        if saved:
            cells = [_product_card(self, self.app, one) for one in saved]
            body: View = Scroll(Grid(cells, min_cell=150, gap=10, pad=(16, 4, 16, 16)))
        else:
            body = empty_page("heart-outline", "Nothing saved yet")
        return page_frame(app_bar("Saved"), body, bottom=shop_tabs(self.app, "Saved"))
