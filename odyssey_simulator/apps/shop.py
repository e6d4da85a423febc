"""Shop: the start page with search, filters and sorting, the product page, and saved products."""

from functools import partial

from odyssey_simulator.apps.app import Page, System
from odyssey_simulator.apps.goods import ORDERS, Product, Review, Wish, categories, find, money, product
from odyssey_simulator.apps.purchases import Account
from odyssey_simulator.apps.shop_cart import CartPage, OrdersPage, Storefront, shop_tabs
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Icon, Picture, Text
from odyssey_simulator.ui.images import emblem
from odyssey_simulator.ui.layout import Grid, ScrollView, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

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

    def open_tab(self, label: str) -> None:
        kinds: dict[str, type[Page]] = {"Saved": SavedPage, "Cart": CartPage, "Orders": OrdersPage}
        self.pages[1:] = [kinds[label](self)] if label in kinds else []


def _stars(rating: float, text: str = "", size: float = 16) -> View:
    halves = round(rating * 2)
    names = ["star"] * (halves // 2) + ["star-half-full"] * (halves % 2)
    names += ["star-outline"] * (5 - len(names))
    icons = row(*(Icon(name, size, "#e09400") for name in names))
    return row(icons, ui.muted(text or f"{rating:.1f}", 13, lines=1), gap=6)


class ProductsPage(Page):
    app: Shop

    def product_card(self, item: Product) -> View:
        saved = item.sku in self.app.account.saved
        heart = ui.icon_button(
            "heart" if saved else "heart-outline",
            f"{'Remove' if saved else 'Save'} {item.name}",
            self.switches(item.sku, among=self.app.account.saved),
            color="primary" if saved else "on_surface_variant",
            size=22,
        )
        return ui.card(
            Picture(emblem(item.icon, item.color), aspect=1.15, radius=12),
            Text(item.name, 15, 500, lines=1),
            ui.muted(item.brand, 13, lines=1),
            _stars(item.rating, f"({item.votes})", 14),
            row(Text(money(item.price), 18, 700, "primary", flex=1), heart),
            pad=(10, 10, 10, 4),
            on_tap=lambda: self.go(ProductPage(self.app, item.sku)),
            desc=item.name,
        )


class WindowPage(ProductsPage):
    navigation_color = "surface_container"

    def __init__(self, app: Shop) -> None:
        super().__init__(app)
        self.wish = Wish()

    def build(self, look: Look) -> View:
        found = find(self.wish)
        field = self.field("query", "Search Shop", of=self.wish, key="search", action="search")
        search = ui.centered(ui.search_box(field), 720, pad=(16, 10, 16, 8))
        bar = column(search, self._chips(), Spacer(6))
        body: View = ui.empty_page("magnify-close", "No products found")
        if found:
            cells = Grid([self.product_card(item) for item in found], min_cell=150, gap=10)
            count = ui.muted(f"{len(found)} products" if len(found) > 1 else "1 product", 13)
            body = ScrollView(column(count, cells, gap=8, pad=(16, 2, 16, 16)))
        return ui.page_frame(bar, body, bottom=shop_tabs(self.app, "Shop"))

    def _chips(self) -> View:
        wish = self.wish
        is_sorted, is_filtered = wish.order != "Featured", bool(wish.highest or wish.stars)
        chips = [
            ui.chip(wish.order if is_sorted else "Sort", icon="sort", selected=is_sorted, on_tap=self.shows("sort")),
            ui.chip("Filter", icon="tune-variant", selected=is_filtered, on_tap=self.shows("filter")),
            *(self._wish_chip(name, "category", name) for name in categories()),
        ]
        return ScrollView(row(*chips, gap=8, pad=(16, 0)), "chips", sideways=True)

    def _wish_chip(self, label: str, part: str, value: str | int) -> View:
        """Its second tap takes the wish back."""
        selected = getattr(self.wish, part) == value
        turn = self.puts(part, getattr(Wish(), part) if selected else value, of=self.wish)
        return ui.chip(label, selected=selected, on_tap=turn)

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "filter":
            return ui.bottom_sheet(*self._filters())
        rows = [
            ui.radio_item(
                name, checked=name == self.wish.order, on_tap=self.closing(self.puts("order", name, of=self.wish))
            )
            for name in ORDERS
        ]
        return ui.bottom_sheet(Text("Sort by", 20, 500), column(*rows), gap=8)

    def _filters(self) -> list[View]:
        prices = [self._wish_chip(f"Up to {money(cents).removesuffix('.00')}", "highest", cents) for cents in _CEILINGS]
        stars = [self._wish_chip(f"{count} stars and up", "stars", count) for count in (4, 3)]
        clear = ui.button("Clear all", self._clear_filters, kind="text")
        found = len(find(self.wish))
        results = "1 result" if found == 1 else f"{found} results"
        return [
            Text("Filter", 20, 500),
            Text("Price", 14, 500, "primary"),
            Grid(prices, min_cell=110),
            Text("Rating", 14, 500, "primary"),
            Grid(stars, min_cell=140),
            row(clear, ui.button(f"Show {results}", self.shows("")), along="end", gap=8),
        ]

    def on_back(self) -> bool:
        if self.wish == Wish():
            return False
        self.wish = Wish()
        return True

    def _clear_filters(self) -> None:
        self.wish.highest = self.wish.stars = 0


class ProductPage(Page):
    app: Shop

    def __init__(self, app: Shop, sku: str) -> None:
        super().__init__(app)
        self.sku = sku
        self.option = next(iter(product(sku).options), "")

    def build(self, look: Look) -> View:
        item = product(self.sku)
        saved = self.sku in self.app.account.saved
        heart = ("heart", "Remove from saved") if saved else ("heart-outline", "Save")
        bar = ui.app_bar(
            "",
            ui.icon_button(*heart, self.switches(self.sku, among=self.app.account.saved)),
            ui.icon_button("share-variant-outline", "Share", partial(self._share, item)),
            ui.icon_button("cart-outline", "Open cart", lambda: self.go(CartPage(self.app))),
            on_up=self.close,
        )
        image = Picture(emblem(item.icon, item.color), aspect=1.25, radius=20)
        text = column(*self._head(item), *_about(item), gap=14)
        if look.wide:
            columns = row(Surface(image, flex=2), Surface(text, flex=3), gap=28, across="start")
            body = ui.scroll_page(columns, pad=(24, 4, 24, 24), max_width=1160)
        else:
            body = ui.scroll_page(image, text, gap=16, pad=(16, 0, 16, 24))
        return ui.page_frame(bar, body, bottom=self._foot(item))

    def _head(self, item: Product) -> list[View]:
        kinds = [ui.chip(kind, selected=kind == self.option, on_tap=self.puts("option", kind)) for kind in item.options]
        head: list[View] = [
            Text(item.brand, 14, 500, "primary"),
            ui.selectable("name", item.name, size=24, weight=500),
            _stars(item.rating, f"{item.rating:.1f} \u00b7 {item.votes} reviews", 18),
            Text(money(item.price), 28, 700),
        ]
        if kinds:
            head += [Text(item.choice, 14, 500), ScrollView(row(*kinds, gap=8), "kinds", sideways=True)]
        return head

    def _foot(self, item: Product) -> View:
        add = ui.button("Add to cart", self._add, icon="cart-plus", fill=True)
        line = row(Text(money(item.price), 20, 700), Surface(add, flex=1), gap=20, pad=(20, 10))
        return Surface(ui.centered(line, 720), color="surface_low", fill=True)

    def _add(self) -> None:
        self.app.account.add(self.sku, self.option)
        self.system.toast("Added to cart")

    def _share(self, item: Product) -> None:
        link = f"https://shop.halden.example/{item.sku}"
        self.system.share(f"{item.name} by {item.brand}, {money(item.price)}\n{link}", subject=item.name)


def _about(item: Product) -> list[View]:
    facts: list[View] = []
    for name, value in item.details:
        facts += [Divider()] * bool(facts)
        facts.append(row(Text(name, 14, color="on_surface_variant", flex=2), Text(value, 14, flex=3), gap=12))
    return [
        Text("Description", 18, 500),
        ui.selectable("about", item.about),
        ui.card(*facts, gap=10, color="surface_low"),
        Text("Reviews", 18, 500),
        *(_review(number, review) for number, review in enumerate(item.reviews)),
    ]


def _review(number: int, review: Review) -> View:
    who = column(Text(review.author, 14, 500), _stars(review.stars, " ", 14), gap=2, flex=1)
    face = ui.avatar(review.author, _AUTHOR_COLORS[len(review.author) % len(_AUTHOR_COLORS)], 36)
    text = ui.selectable(f"review{number}", review.text, size=15)
    return ui.card(row(face, who, gap=12), text, gap=10, color="surface_low")


class SavedPage(ProductsPage):
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        cells = [self.product_card(product(sku)) for sku in self.app.account.saved]
        body: View = ScrollView(Grid(cells, min_cell=150, gap=10, pad=(16, 4, 16, 16)))
        if not cells:
            body = ui.empty_page("heart-outline", "Nothing saved yet")
        return ui.page_frame(ui.app_bar("Saved"), body, bottom=shop_tabs(self.app, "Saved"))
