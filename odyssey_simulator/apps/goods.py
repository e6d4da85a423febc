"""The shop's products: search, filters and sorting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from odyssey_simulator.apps.content import table


@dataclass(frozen=True, slots=True)
class Review:
    """`stars` is 1 to 5."""

    author: str
    stars: int
    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """`price` is in cents, `rating` the mean of `votes` customers, 1 to 5."""

    sku: str
    name: str
    brand: str
    category: str
    price: int
    rating: float
    votes: int
    icon: str
    color: str
    about: str
    details: tuple[tuple[str, str], ...]
    choice: str
    options: tuple[str, ...]
    reviews: tuple[Review, ...]

    @property
    def words(self) -> str:
        return f"{self.name} {self.brand} {self.category} {self.about}".lower()


ORDERS: dict[str, Callable[[Product], float]] = {
    "Featured": lambda product: 0,
    "Price: low to high": lambda product: product.price,
    "Price: high to low": lambda product: -product.price,
    "Best rated": lambda product: -product.rating,
    "Most reviewed": lambda product: -product.votes,
}


@dataclass(slots=True)
class Wish:
    """A `highest` price (cents) of 0 means no limit."""

    query: str = ""
    category: str = ""
    order: str = "Featured"
    highest: int = 0
    stars: int = 0

    def admits(self, product: Product) -> bool:
        return (
            (not self.category or product.category == self.category)
            and (not self.highest or product.price <= self.highest)
            and product.rating >= self.stars
            and all(_singular(word) in product.words for word in self.query.lower().split())
        )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _product(row: dict[str, Any]) -> Product:
    choice, _, options = row.pop("options", "").partition(":")
    reviews = tuple(Review(*review) for review in row.pop("reviews"))
    details = tuple((name, value) for name, value in row.pop("details").items())
    kinds = tuple(option.strip() for option in options.split(",") if option.strip())
    return Product(**row, details=details, choice=choice, options=kinds, reviews=reviews)


@cache
def products() -> Sequence[Product]:
    return [_product(row) for row in table("products")["product"]]


def product(sku: str) -> Product:
    """Raises LookupError if there is no such product."""
    for item in products():
        if item.sku == sku:
            return item
    raise LookupError(f"The shop sells nothing with the number {sku!r}.")


def categories() -> list[str]:
    return list(dict.fromkeys(item.category for item in products()))


def find(wish: Wish) -> list[Product]:
    return sorted(filter(wish.admits, products()), key=ORDERS[wish.order])


def money(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"
