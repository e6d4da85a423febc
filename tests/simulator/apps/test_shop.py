import pytest

from odyssey_recorder.simulator.apps.goods import ORDERS, Wish, find, money, products
from odyssey_recorder.simulator.ui.draw import icon_mask
from tests.simulator.person import Person, person_with

ENTER = 66
ADDRESS = ("Ada Moon", "5 Elm Street", "40213", "Harbour Town")


def show_product(person: Person, query: str, name: str) -> None:
    person.open("Shop")
    person.tap_field("search")
    person.type(query)
    person.phone.press_key(ENTER)
    person.tap(name)


def check_out(person: Person) -> None:
    person.scroll_to("Checkout")
    person.tap("Checkout")
    person.tap_field("name")
    for line in ADDRESS:
        person.type(line)
        person.phone.press_key(ENTER)


def test_what_was_ordered_is_among_the_orders_when_one_comes_back(person: Person) -> None:
    show_product(person, "kettle", "Gooseneck electric kettle")
    person.tap("Add to cart", "Open cart")
    check_out(person)
    person.scroll_to("Place order")
    person.tap("Place order")
    assert person.sees("Order placed")

    person.home()
    person.phone.clear_recents()
    person.open("Shop", "Orders", "Order HL-20425")
    assert person.sees("Gooseneck electric kettle", "Ada Moon\n5 Elm Street\n40213 Harbour Town", "$64.00")


def test_the_cart_counts_and_the_last_of_a_thing_leaves_it() -> None:
    with person_with("medium_phone") as person:
        show_product(person, "merino", "Merino wool blanket")
        person.tap("Moss", "Add to cart", "Open cart", "More Merino wool blanket")
        assert person.sees("Items (2)", "$196.00", "Moss")

        person.tap("Fewer Merino wool blanket", "Fewer Merino wool blanket")
        assert person.sees("Your cart is empty")


def test_the_same_thing_twice_is_one_line_and_back_leads_to_the_product(person: Person) -> None:
    show_product(person, "candle", "Cedar and fig candle")
    person.tap("Add to cart", "Add to cart", "Open cart")
    assert person.sees("Items (2)", "$33.00", "$4.99")

    person.back()
    assert person.sees("Add to cart")


def test_nothing_is_ordered_without_an_address(person: Person) -> None:
    show_product(person, "kite", "Storm delta kite")
    person.tap("Add to cart", "Open cart")
    person.scroll_to("Checkout")
    person.tap("Checkout")
    person.scroll_to("Place order")
    person.tap("Place order")

    assert person.sees("Please fill in your name, street, city, postcode")
    assert person.field("name").focused


def test_the_window_is_sorted_and_filtered() -> None:
    with person_with("pixel_tablet") as person:
        person.open("Shop", "Books", "Sort", "Price: high to low")
        names = [words for words in person.words if words in {one.name for one in products()}]
        assert names == ["Bread Without Hurry", "A Walk Among the Stars", "What the Tide Keeps"]

        person.tap("Filter", "Up to $25", "Show 2 results")
        assert person.sees("2 products")
        assert not person.sees("Bread Without Hurry")


def test_what_is_saved_can_be_found_again(person: Person) -> None:
    show_product(person, "puzzle", "World map puzzle, 1000 pieces")
    person.tap("Save")
    person.back()
    person.tap("Saved")

    assert person.sees("World map puzzle, 1000 pieces")


def test_a_product_is_shared_to_a_note(person: Person) -> None:
    show_product(person, "tent", "Drift two-person tent")
    person.tap("Share", "Notes")

    assert "Drift two-person tent by Northfield, $249.00" in person.field("body").text


def test_an_unknown_thing_is_not_sold(person: Person) -> None:
    person.open("Shop")
    person.tap_field("search")
    person.type("submarine")

    assert person.sees("No products found")


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_lists_all_products(order: str) -> None:
    assert {one.sku for one in find(Wish(order=order))} == {one.sku for one in products()}


def test_products_differ_and_can_be_drawn() -> None:
    assert len({one.sku for one in products()}) == len(products()) >= 30
    assert all(icon_mask(one.icon, 24).getbbox() for one in products())
    assert all(one.reviews and 1 <= one.rating <= 5 for one in products())


def test_prices_are_written_in_dollars() -> None:
    assert [money(cents) for cents in (5, 1550, 123_456)] == ["$0.05", "$15.50", "$1,234.56"]


def test_filters_are_cleared_and_back_leaves_a_department(person: Person) -> None:
    person.open("Shop", "Filter", "Up to $25", "Clear all", "Show 30 results", "Electronics")
    assert person.sees("8 products")

    person.back()
    assert person.sees("30 products")
    assert person.phone.state().package == "com.odyssey.shop"


def test_an_order_of_before_is_shared(person: Person) -> None:
    person.open("Shop", "Orders", "Order HL-20418", "Share", "Copy")

    assert person.phone.get_clipboard() == (
        "Order HL-20418: 1 x Novo Basic wireless headphones, 2 x What the Tide Keeps, $85.97"
    )


def test_delivery_and_payment_are_chosen(person: Person) -> None:
    show_product(person, "tent", "Drift two-person tent")
    person.tap("Add to cart", "Open cart")
    check_out(person)
    person.scroll_to("Express \u00b7 $9.99")
    person.tap("Express \u00b7 $9.99")
    person.scroll_to("Cash on delivery")
    person.tap("Cash on delivery")
    person.scroll_to("Place order")
    person.tap("Place order")

    assert person.sees("Cash on delivery", "$258.99")
