"""What the tasks for the simulated emulator ask for can be done in its apps, and is kept after the app was left."""

from collections.abc import Callable

import pytest

from odyssey_simulator.apps.calculator import DIVIDED, MINUS, TIMES, NotASumError, result_of
from odyssey_simulator.apps.goods import products
from odyssey_simulator.apps.web_pages import Link, article_at, articles, search
from odyssey_simulator.ui.draw import icon_mask
from tests.simulator.person import Person


def follow(person: Person, steps: str) -> None:
    """Take steps that are separated by bars; a text without a verb is scrolled to and tapped.

    `open` ends all tasks first, so that the app itself must have stored its data. `see` scrolls.
    """

    def reopen(app: str) -> None:
        person.phone.clear_recents()
        person.open(app)

    verbs: dict[str, Callable[[str], object]] = {
        "open": reopen, "type": person.type, "hold": person.hold, "field": person.tap_field, "see": person.scroll_to,
        "back": lambda _: person.back(),
    }  # fmt: skip
    for step in steps.split(" | "):
        verb, _, argument = step.partition(" ")
        if verb == "no":
            assert not person.sees(argument)
        elif verb in verbs:
            verbs[verb](argument)
        else:
            person.scroll_to(step)
            person.tap(step)


TASKS = {
    "search the web": (
        "open Browser | Address bar | type What is the weather in Oslo\n | see 3 results | "
        "Oslo weather: forecast for the week | see Updated Saturday, 9:40 | back | see 3 results"
    ),
    "bookmark an address": (
        "open Browser | Address bar | type https://harborgazette.example/comet\n | Bookmark this page | "
        "open Browser | More options | Bookmarks | see A comet you can see without a telescope | open Browser | "
        "More options | History | see A comet you can see without a telescope"
    ),
    "an address that nobody has": "open Browser | Address bar | type nowhere.example\n | see ERR_NAME_NOT_RESOLVED",
    "follow a link": (
        "open Browser | Address bar | type gearcheck.example/headphones\n | Five running shoes compared | "
        "see Five running shoes for wet autumn roads"
    ),
    "work out a sum": (
        "open Calculator | ( | 1 | 2 | Plus | 3 | ) | Multiply | 4 | see 60 | Equals | Minus | 2 | Equals | "
        "see 58 | Clear | History | = 60 | see 60"
    ),
    "create an event": (
        "open Calendar | New event | type Dinner with Ada | back | Sat, Nov 21 | Next month | "
        "Thursday, December 3 | 12:00 | Later hour | Later hour | Later hour | Later hour | Later hour | "
        "Later hour | Later minute | Later minute | Later minute | OK | Save | open Calendar | Search events | "
        "type ada | Dinner with Ada | see Thursday, December 3, 2026\n18:15 \u2013 19:15"
    ),
    "change and delete an event": (
        "open Calendar | Farmers' market with Nora | Edit event | field place | type , north side | back | Save | "
        "see Quay Square, north side | Delete event | Delete | no Farmers' market with Nora"
    ),
    "set an alarm": (
        "open Clock | Add alarm | 05 | 35 | One minute later | One minute later | Saturday | "
        "field label | type Train | Save | open Clock | hold Train, 05:37 | Delete | no Train, 05:37"
    ),
    "add a city": (
        "open Clock | World clock | Add city | type nepal | Kathmandu | open Clock | World clock | see 14:45 | "
        "see Today, +4:45 h"
    ),
    "start a timer": (
        "open Clock | Timer | 1 | 0 | 0 | 0 | Delete digit | 00 | Start | +1:00 | see 1:01:00 | Pause | "
        "see Resume | Delete | see Start"
    ),
    "answer a mail": (
        "open Mail | Dinner on Saturday | Reply | type Yes, I eat fish.\nRobin | Send | open Mail | Open folders | "
        "Sent | see To: mira.vogel@post.example | Re: Dinner on Saturday | see Yes, I eat fish.\nRobin"
    ),
    "finish a draft": (
        "open Mail | Compose | type aish | Send | see Enter a valid address | Aisha Rahman | type Pumpkins | "
        "back | back | Open folders | Drafts | Pumpkins | Send | see Nothing in Drafts"
    ),
    "star a mail": "open Mail | Star Dinner on Saturday | open Mail | Open folders | Starred | see Dinner on Saturday",
    "archive a mail and take it back": (
        "open Mail | hold Draft of the report | Archive | no Draft of the report | Undo | see Draft of the report"
    ),
    "open a link of a mail": (
        "open Mail | Search in mail | type lisbon on foot\n | Letter of the week: Lisbon on foot | "
        "Open https://openatlas.example/lisbon | see Three days in Lisbon: a walker's guide"
    ),
    "send a message": (
        "open Messages | Lena Hartmann | field message | type Two tickets, please\n | open Messages | "
        "see You: Two tickets, please"
    ),
    "begin a conversation": (
        "open Messages | Start chat | type grace\n | field message | type Doors at 19:30 | Send message | "
        "open Messages | see Grace Mensah | see You: Doors at 19:30"
    ),
    "forward a message": (
        "open Messages | Aisha Rahman | hold The review is moved to Monday 14:00, room 3.12. | Forward | Notes | "
        "open Notes | see The review is moved to Monday 14:00, room 3.12."
    ),
    "put a song on a new playlist": (
        "open Music | Delta | Now playing | Pause | see Play | Add to playlist | New playlist | type Rainy days | "
        "Create | open Music | Playlists | Rainy days | see Delta"
    ),
    "find and like a song": (
        "open Music | Search | field search | type fjord | hold Meltwater | Like | open Music | Playlists | "
        "Liked songs | see Meltwater"
    ),
    "change a caption": (
        "open Photos | Brunch on Sunday | Add to favourites | Caption | hold Brunch on Sunday | Select all | "
        "type Lunch for champions | Save | open Photos | Albums | Favourites | see Lunch for champions | "
        "open Photos | Search | type champ | see Lunch for champions | no First frost on the ridge"
    ),
    "restore a photo": (
        "open Photos | Brunch on Sunday | Delete | no Brunch on Sunday | Albums | Bin | Brunch on Sunday | "
        "Restore | open Photos | see Brunch on Sunday"
    ),
    "order a thing": (
        "open Shop | field search | type tent\n | Drift two-person tent | Add to cart | Open cart | Checkout | "
        "Express \u00b7 $9.99 | Cash on delivery | Place order | "
        "see Please fill in your name, street, city, postcode | "
        "type Ada Moon\n5 Elm Street\n40213\nHarbour Town\n | Place order | open Shop | Orders | Order HL-20425 | "
        "see Drift two-person tent | see $258.99"
    ),
    "sort, filter and save": (
        "open Shop | Electronics | see Aurel Quiet 2 wireless headphones | Sort | Price: low to high | "
        "no Aurel Quiet 2 wireless headphones | Filter | Up to $100 | Show 6 results | Volt 10 power bank | "
        "Save | open Shop | Saved | see Volt 10 power bank"
    ),
    "like and comment": (
        "open Social | Like | see 42 | Post by Jonas Weber | field comment | type Lovely | Send comment | "
        "open Social | Post by Jonas Weber | see Lovely"
    ),
    "publish a post": (
        "open Social | New post | type Hello from the balcony | Add picture | Brunch on Sunday | Post | "
        "open Social | see Post by Robin Keller | see Hello from the balcony | see Brunch on Sunday"
    ),
    "follow a person": (
        "open Social | Search | field search | type grace | back | Grace Mensah | Follow | open Social | Search | "
        "Grace Mensah | see Following"
    ),
    "add and complete a task": (
        "open To-do | Add task | type Buy flour | Due date | Wednesday, November 25 | Save | open To-do | "
        "see Buy flour | see Wed, Nov 25 | Complete Buy flour | see Completed (2)"
    ),
    "move a task": (
        "open To-do | Renew the library card | field note | type 18 euros | back | Work | back | "
        "no Renew the library card | Work | see Renew the library card | see 18 euros"
    ),
    "delete a task and take it back": (
        "open To-do | hold Call grandma | Delete | see \u201cCall grandma\u201d deleted | Undo | see Call grandma"
    ),
    "a shared photo is a picture": (
        "open Photos | Brunch on Sunday | Share | Social | Post | see Brunch on Sunday | open Messages | "
        "Jonas Weber | see First frost on the ridge"
    ),
}


@pytest.mark.parametrize("steps", TASKS.values(), ids=TASKS)
def test_task_can_be_done_in_the_apps(person: Person, steps: str) -> None:
    follow(person, steps)


@pytest.mark.parametrize(
    ("steps", "field", "text"),
    [
        ("open Notes | Pancakes | Share | Mail", "subject", "Pancakes"),
        ("open Notes | Pancakes | Share | Mail", "body", "2 eggs, 200 g flour"),
        ("open Notes | Pancakes | Share | Notes", "title", "Pancakes"),
        ("open Notes | Pancakes | Share | Add to To-do", "note", "2 eggs, 200 g flour"),
        ("open Notes | Quote | Share | Social", "post", "The real voyage of discovery"),
        ("open Photos | Brunch on Sunday | Share | Social", "post", "Brunch on Sunday"),
        ("open Shop | Orders | Order HL-20418 | Share | Notes", "body", "Order HL-20418: 1 x Novo Basic"),
    ],
)
def test_shared_content_fills_the_receiving_app(person: Person, steps: str, field: str, text: str) -> None:
    follow(person, steps)
    assert person.field(field).text.startswith(text)


def test_article_opened_by_address_can_copy_its_link(person: Person) -> None:
    person.phone.start_activity("", action="android.intent.action.VIEW", data="https://wellspring.example/sleep")
    follow(person, "see Seven habits for better sleep | More options | Copy link")
    assert person.phone.get_clipboard() == "https://wellspring.example/sleep"


def test_web_articles_links_and_icons_are_consistent() -> None:
    links = [block.address for article in articles() for block in article.blocks if isinstance(block, Link)]
    assert search("weather in Lisbon")[0].address == "weather.meridian.example/lisbon"
    assert all(article_at(address) for address in links)
    icons = {article.icon for article in articles()} | {product.icon for product in products()}
    assert all(icon_mask(icon, 24).getbbox() for icon in icons)


def with_symbols(expression: str) -> str:
    return expression.replace("*", TIMES).replace("/", DIVIDED).replace("-", MINUS)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("0.1+0.2", "0.3"),
        ("50%*80", "40"),
        ("2(3)", "6"),
        ("(2+3", "5"),
        ("5--2", "7"),
        ("5-5", "0"),
        ("1/3", "0.333333333333333"),
        ("100000000*100000000", "1E+16"),
    ],
)
def test_sum_is_calculated(expression: str, result: str) -> None:
    assert result_of(with_symbols(expression)) == with_symbols(result)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        *((expression, "Format error") for expression in ("3+", "*3", "1.5.2", "()", "2)", ".")),
        ("1/(2-2)", "divide by 0"),
    ],
)
def test_invalid_sum_is_rejected(expression: str, words: str) -> None:
    with pytest.raises(NotASumError, match=words):
        result_of(with_symbols(expression))
