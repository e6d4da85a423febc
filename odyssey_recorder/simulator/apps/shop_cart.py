"""The shop's cart, checkout, and placed orders."""

from collections.abc import Callable
from dataclasses import replace

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.apps.goods import money
from odyssey_recorder.simulator.apps.purchases import DELIVERIES, PAYMENTS, Account, Line, Order
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Surface
from odyssey_recorder.simulator.ui.pictures import emblem
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    bottom_tabs,
    button,
    card,
    divider,
    empty_page,
    icon_button,
    list_item,
    page_frame,
    radio_item,
    scroll_page,
    section,
    text_box,
)

_TABS = (
    ("storefront-outline", "Shop"),
    ("heart-outline", "Saved"),
    ("cart-outline", "Cart"),
    ("package-variant", "Orders"),
)


class Storefront(App):
    account: Account

    def opens_tab(self, label: str) -> Action:
        raise NotImplementedError


def shop_tabs(app: Storefront, current: str) -> View:
    return bottom_tabs(_TABS, current, [app.opens_tab(label) for _, label in _TABS])


def thumbnail(icon: str, color: str, side: float) -> View:
    return Picture(emblem(icon, color), width=side, height=side, radius=10)


def _sum_row(label: str, cents: int, *, strong: bool = False) -> View:
    weight, size = (700, 18) if strong else (400, 15)
    words = "Free" if not cents else money(cents)
    return Row((Text(label, size, weight, flex=1), Text(words, size, weight)), gap=12)


class CartPage(Page):
    app: Storefront
    title = "Cart"
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        account = self.app.account
        body = self._filled() if account.cart else empty_page("cart-outline", "Your cart is empty")
        return page_frame(app_bar("Cart"), body, bottom=shop_tabs(self.app, "Cart"))

    def _filled(self) -> View:
        account = self.app.account
        return scroll_page(
            *(self._line(line) for line in account.cart),
            card(
                _sum_row(f"Items ({account.count})", account.goods_cost),
                _sum_row("Delivery", account.delivery_cost),
                divider(),
                _sum_row("Total", account.total, strong=True),
                gap=10,
            ),
            button("Checkout", lambda: self.go(CheckoutPage(self.app)), fill=True),
            gap=12,
            pad=(16, 4, 16, 24),
        )

    def _line(self, line: Line) -> View:
        one = line.product
        steps = Row(
            (
                icon_button("minus-circle-outline", f"Fewer {one.name}", lambda: self.app.account.change(line, -1)),
                Text(str(line.quantity), 16, 500),
                icon_button("plus-circle-outline", f"More {one.name}", lambda: self.app.account.change(line, 1)),
                Text("", flex=1),
                Text(money(line.cost), 16, 500),
                icon_button("delete-outline", f"Remove {one.name}", lambda: self.app.account.cart.remove(line)),
            ),
            gap=2,
        )
        words = Column(
            (
                Text(one.name, 16, 500, lines=2),
                Text(line.option or one.brand, 14, color="on_surface_variant", lines=1),
            ),
            gap=2,
            flex=1,
            along="start",
        )
        return card(Row((thumbnail(one.icon, one.color, 64), words), gap=14), steps, gap=4, pad=(14, 14, 8, 4))


class CheckoutPage(Page):
    app: Storefront
    title = "Checkout"

    def build(self, look: Look) -> View:
        account = self.app.account
        parts: list[View] = [
            section("Delivery address"),
            *self._address(),
            section("Delivery"),
            *(self._delivery(name) for name in DELIVERIES),
            section("Payment"),
            *(self._payment(name) for name in PAYMENTS),
        ]
        summary = card(
            _sum_row(f"Items ({account.count})", account.goods_cost),
            _sum_row("Delivery", account.delivery_cost),
            divider(),
            _sum_row("Total", account.total, strong=True),
            gap=10,
        )
        end = Column((summary, button("Place order", self._order, fill=True)), gap=12, pad=(16, 16, 16, 24))
        return page_frame(app_bar("Checkout", on_up=self.close), scroll_page(*parts, end))

    def _address(self) -> list[View]:
        name, street, postcode, city = (
            self._field("name", "Full name", "street"),
            self._field("street", "Street and number", "postcode"),
            self._field("postcode", "Postcode", "city"),
            self._field("city", "City", ""),
        )
        pair = Row((Surface(postcode, flex=2), Surface(city, flex=3)), gap=10)
        return [Column((name, street, pair), gap=10, pad=(16, 0))]

    def _field(self, key: str, label: str, following: str) -> View:
        def write(words: str) -> None:
            self.app.account.address = replace(self.app.account.address, **{key: words})

        go_on: Callable[[], None] | None = (lambda: self.focus(following)) if following else None
        value: str = getattr(self.app.account.address, key)
        action = "next" if following else "done"
        return text_box(TextField(key, value, write, hint=label, action=action, on_action=go_on), label=label)

    def _delivery(self, name: str) -> View:
        def choose() -> None:
            self.app.account.delivery = name

        cost, words = DELIVERIES[name]
        return radio_item(
            f"{name} \u00b7 {money(cost)}", words, checked=name == self.app.account.delivery, on_tap=choose
        )

    def _payment(self, name: str) -> View:
        def choose() -> None:
            self.app.account.payment = name

        return radio_item(name, PAYMENTS[name], checked=name == self.app.account.payment, on_tap=choose)

    def _order(self) -> None:
        missing = self.app.account.address.missing
        if missing:
            self.system.toast(f"Please fill in your {', '.join(missing)}")
            self.focus(missing[0])
            return
        order = self.app.account.place_order()
        self.app.pages[1:] = [OrdersPage(self.app), OrderPage(self.app, order, is_new=True)]


class OrdersPage(Page):
    app: Storefront
    title = "Orders"
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        rows = [self._row(order) for order in self.app.account.orders]
        body = scroll_page(*rows, gap=12, pad=(16, 4, 16, 24))
        return page_frame(app_bar("Your orders"), body, bottom=shop_tabs(self.app, "Orders"))

    def _row(self, order: Order) -> View:
        head = Row((Text(f"Order {order.number}", 16, 500, flex=1), Text(money(order.total), 16, 500)), gap=12)
        things = [thumbnail(line.product.icon, line.product.color, 56) for line in order.lines[:4]]
        return card(
            head,
            Text(f"{order.state} \u00b7 {order.date}", 14, color="on_surface_variant"),
            Row(things, gap=8),
            gap=8,
            on_tap=lambda: self.go(OrderPage(self.app, order)),
            desc=f"Order {order.number}",
        )


class OrderPage(Page):
    app: Storefront
    title = "Order"

    def __init__(self, app: Storefront, order: Order, *, is_new: bool = False) -> None:
        super().__init__(app)
        self.order = order
        self.is_new = is_new

    def build(self, look: Look) -> View:
        order = self.order
        bar = app_bar(
            f"Order {order.number}", icon_button("share-variant-outline", "Share", self._share), on_up=self.close
        )
        facts = (
            ("State", order.state),
            ("Date", order.date),
            ("Payment", order.payment),
            ("Total", money(order.total)),
        )
        cells = [
            Column((Text(name, 13, color="on_surface_variant"), Text(value, 16, 500)), gap=2, along="start")
            for name, value in facts
        ]
        return page_frame(
            bar,
            scroll_page(
                *([self._thanks()] if self.is_new else []),
                card(Grid(cells, min_cell=120, gap=14)),
                *(self._line(line) for line in order.lines),
                card(Text("Delivery address", 13, color="on_surface_variant"), Text(str(order.address), 16), gap=6),
                gap=12,
                pad=(16, 4, 16, 24),
            ),
        )

    def _thanks(self) -> View:
        words = Column(
            (Text("Order placed", 20, 500), Text("Thank you! We are packing your things.", 14)), gap=2, flex=1
        )
        return card(Row((Icon("check-circle", 40, "primary"), words), gap=14), color="primary_container")

    def _line(self, line: Line) -> View:
        one = line.product
        subtitle = f"{line.quantity} \u00d7 {money(one.price)}" + (f" \u00b7 {line.option}" if line.option else "")
        return list_item(one.name, subtitle, lead=thumbnail(one.icon, one.color, 52))

    def _share(self) -> None:
        things = ", ".join(f"{line.quantity} x {line.product.name}" for line in self.order.lines)
        self.system.share(f"Order {self.order.number}: {things}, {money(self.order.total)}", subject="My order")
