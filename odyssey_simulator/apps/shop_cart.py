"""The shop's cart, checkout, and placed orders."""

from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.goods import money
from odyssey_simulator.apps.purchases import DELIVERIES, PAYMENTS, Account, Order, OrderLine
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Icon, Picture, Text
from odyssey_simulator.ui.images import emblem
from odyssey_simulator.ui.layout import Grid, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_TABS = (
    ("storefront-outline", "Shop"),
    ("heart-outline", "Saved"),
    ("cart-outline", "Cart"),
    ("package-variant", "Orders"),
)


class Storefront(App):
    account: Account

    def open_tab(self, label: str) -> None:
        raise NotImplementedError


def shop_tabs(app: Storefront, current: str) -> View:
    return ui.bottom_tabs(_TABS, current, app.open_tab)


def thumbnail(icon: str, color: str, side: float) -> View:
    return Picture(emblem(icon, color), width=side, height=side, radius=10)


def _sum_row(label: str, cents: int, *, strong: bool = False) -> View:
    weight, size = (700, 18) if strong else (400, 15)
    text = "Free" if not cents else money(cents)
    return row(Text(label, size, weight, flex=1), Text(text, size, weight), gap=12)


def _summary(account: Account) -> View:
    return ui.card(
        _sum_row(f"Items ({account.count})", account.goods_cost),
        _sum_row("Delivery", account.delivery_cost),
        Divider(),
        _sum_row("Total", account.total, strong=True),
        gap=10,
    )


class CartPage(Page):
    app: Storefront
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        account = self.app.account
        body = ui.empty_page("cart-outline", "Your cart is empty")
        if account.cart:
            check_out = ui.button("Checkout", lambda: self.go(CheckoutPage(self.app)), fill=True)
            parts = (*map(self._line, account.cart), _summary(account), check_out)
            body = ui.scroll_page(*parts, gap=12, pad=(16, 4, 16, 24))
        return ui.page_frame(ui.app_bar("Cart"), body, bottom=shop_tabs(self.app, "Cart"))

    def _line(self, line: OrderLine) -> View:
        item, account = line.product, self.app.account
        steps = row(
            ui.icon_button("minus-circle-outline", f"Fewer {item.name}", partial(account.change, line, -1)),
            Text(str(line.quantity), 16, 500),
            ui.icon_button("plus-circle-outline", f"More {item.name}", partial(account.change, line, 1)),
            Spacer(flex=1),
            Text(money(line.cost), 16, 500),
            ui.icon_button("delete-outline", f"Remove {item.name}", partial(account.cart.remove, line)),
            gap=2,
        )
        text = column(Text(item.name, 16, 500, lines=2), ui.muted(line.option or item.brand, lines=1), gap=2, flex=1)
        return ui.card(row(thumbnail(item.icon, item.color, 64), text, gap=14), steps, gap=4, pad=(14, 14, 8, 4))


class CheckoutPage(Page):
    app: Storefront

    def build(self, look: Look) -> View:
        account = self.app.account
        place = Surface(self._field("postcode", "Postcode", "city"), flex=2)
        city = Surface(self._field("city", "City", ""), flex=3)
        address = column(
            self._field("name", "Full name", "street"),
            self._field("street", "Street and number", "postcode"),
            row(place, city, gap=10),
            gap=10,
            pad=(16, 0),
        )
        deliveries = [
            self._choice("delivery", name, f" \u00b7 {money(cost)}", text) for name, (cost, text) in DELIVERIES.items()
        ]
        payments = [self._choice("payment", name, "", text) for name, text in PAYMENTS.items()]
        order = ui.button("Place order", self._order, fill=True)
        body = ui.scroll_page(
            ui.section("Delivery address"),
            address,
            ui.section("Delivery"),
            *deliveries,
            ui.section("Payment"),
            *payments,
            column(_summary(account), order, gap=12, pad=(16, 16, 16, 24)),
        )
        return ui.page_frame(ui.app_bar("Checkout", on_up=self.close), body)

    def _field(self, key: str, label: str, then: str) -> View:
        return ui.text_box(self.field(key, label, of=self.app.account.address, then=then), label=label)

    def _choice(self, of: str, name: str, more: str, text: str) -> View:
        account = self.app.account
        checked = name == getattr(account, of)
        return ui.radio_item(name + more, text, checked=checked, on_tap=self.puts(of, name, of=account))

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
    navigation_color = "surface_container"

    def build(self, look: Look) -> View:
        body = ui.scroll_page(*map(self._row, self.app.account.orders), gap=12, pad=(16, 4, 16, 24))
        return ui.page_frame(ui.app_bar("Your orders"), body, bottom=shop_tabs(self.app, "Orders"))

    def _row(self, order: Order) -> View:
        things = [thumbnail(line.product.icon, line.product.color, 56) for line in order.lines[:4]]
        return ui.card(
            row(Text(f"Order {order.number}", 16, 500, flex=1), Text(money(order.total), 16, 500), gap=12),
            ui.muted(f"{order.state} \u00b7 {order.date}"),
            row(*things, gap=8),
            gap=8,
            on_tap=lambda: self.go(OrderPage(self.app, order)),
            desc=f"Order {order.number}",
        )


class OrderPage(Page):
    app: Storefront

    def __init__(self, app: Storefront, order: Order, *, is_new: bool = False) -> None:
        super().__init__(app)
        self.order = order
        self.is_new = is_new

    def build(self, look: Look) -> View:
        order = self.order
        share = ui.icon_button("share-variant-outline", "Share", self._share)
        facts = {"State": order.state, "Date": order.date, "Payment": order.payment, "Total": money(order.total)}
        cells = [column(ui.muted(name, 13), Text(value, 16, 500), gap=2) for name, value in facts.items()]
        parts = (
            *([_thanks()] if self.is_new else []),
            ui.card(Grid(cells, min_cell=120, gap=14)),
            *map(_ordered, order.lines),
            ui.card(ui.muted("Delivery address", 13), Text(str(order.address), 16), gap=6),
        )
        bar = ui.app_bar(f"Order {order.number}", share, on_up=self.close)
        return ui.page_frame(bar, ui.scroll_page(*parts, gap=12, pad=(16, 4, 16, 24)))

    def _share(self) -> None:
        things = ", ".join(f"{line.quantity} x {line.product.name}" for line in self.order.lines)
        self.system.share(f"Order {self.order.number}: {things}, {money(self.order.total)}", subject="My order")


def _thanks() -> View:
    text = column(Text("Order placed", 20, 500), Text("Thank you! We are packing your things.", 14), gap=2, flex=1)
    return ui.card(row(Icon("check-circle", 40, "primary"), text, gap=14), color="primary_container")


def _ordered(line: OrderLine) -> View:
    item = line.product
    subtitle = f"{line.quantity} \u00d7 {money(item.price)}" + (f" \u00b7 {line.option}" if line.option else "")
    return ui.list_item(item.name, subtitle, lead=thumbnail(item.icon, item.color, 52))
