"""A customer's state in the shop: cart, saved products, address, and orders."""

from dataclasses import asdict, dataclass, field, replace

from odyssey_simulator.apps.goods import Product, product
from odyssey_simulator.apps.people import OWNER

_FREE_FROM = 35_00
DELIVERIES = {"Standard": (4_99, "3 to 5 working days, free from $35"), "Express": (9_99, "Tomorrow, Nov 22")}
"""The price in cents, and the time it takes."""
PAYMENTS = {
    "Credit card": "Ending in 4417",
    "Bank transfer": "Sent when the money has arrived",
    "Cash on delivery": "Pay at your door",
}


@dataclass(slots=True)
class OrderLine:
    sku: str
    option: str
    quantity: int = 1

    @property
    def product(self) -> Product:
        return product(self.sku)

    @property
    def cost(self) -> int:
        return self.product.price * self.quantity


@dataclass(slots=True)
class Address:
    name: str = ""
    street: str = ""
    city: str = ""
    postcode: str = ""

    @property
    def missing(self) -> list[str]:
        return [name for name, value in asdict(self).items() if not value.strip()]

    def __str__(self) -> str:
        return f"{self.name}\n{self.street}\n{self.postcode} {self.city}"


@dataclass(frozen=True, slots=True)
class Order:
    """`total` is in cents."""

    number: str
    date: str
    state: str
    lines: tuple[OrderLine, ...]
    address: Address
    payment: str
    total: int


_FIRST_ORDER = Order(
    "HL-20418",
    "Oct 28",
    "Delivered",
    (OrderLine("hp-novo", "Black"), OrderLine("bk-tide", "Paperback", 2)),
    Address(OWNER.name, "12 Mill Lane", OWNER.place, "79098"),
    "Credit card",
    85_97,
)


@dataclass(slots=True)
class Account:
    cart: list[OrderLine] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    orders: list[Order] = field(default_factory=lambda: [_FIRST_ORDER])
    address: Address = field(default_factory=Address)
    delivery: str = "Standard"
    payment: str = "Credit card"

    @property
    def count(self) -> int:
        return sum(line.quantity for line in self.cart)

    @property
    def goods_cost(self) -> int:
        return sum(line.cost for line in self.cart)

    @property
    def delivery_cost(self) -> int:
        free = self.delivery == "Standard" and self.goods_cost >= _FREE_FROM
        return 0 if free else DELIVERIES[self.delivery][0]

    @property
    def total(self) -> int:
        return self.goods_cost + self.delivery_cost

    def add(self, sku: str, option: str) -> None:
        for line in self.cart:
            if (line.sku, line.option) == (sku, option):
                line.quantity += 1
                return
        self.cart.append(OrderLine(sku, option))

    def change(self, line: OrderLine, step: int) -> None:
        line.quantity += step
        if line.quantity <= 0:
            self.cart.remove(line)

    def place_order(self) -> Order:
        number = f"HL-{20418 + 7 * len(self.orders)}"
        to = replace(self.address)
        order = Order(number, "Nov 21", "Being packed", tuple(self.cart), to, self.payment, self.total)
        self.orders.insert(0, order)
        self.cart = []
        return order
