from tests.simulator.person import Person


def test_a_like_is_counted_and_taken_back(person: Person) -> None:
    person.open("Social", "Like")
    assert person.sees("42")
    person.tap("Unlike")

    assert person.sees("41")


def test_a_comment_stands_below_its_post_and_stays(person: Person) -> None:
    person.open("Social", "Post by Jonas Weber")
    person.tap_field("comment")
    person.type("Wish I was there")
    person.tap("Send comment")
    person.phone.force_stop("com.odyssey.social")
    person.open("Social", "Post by Jonas Weber")
    person.scroll_to("Wish I was there")

    assert person.sees("Wish I was there")


def test_a_post_with_words_and_a_picture_is_the_first_of_the_feed(person: Person) -> None:
    person.open("Social", "New post")
    person.type("Hello from the balcony")
    person.tap("Add picture", "Brunch on Sunday", "Post")

    assert person.sees("Hello from the balcony", "Post by Robin Keller", "Brunch on Sunday")
    assert person.find("Posted").bounds.bottom <= person.find("Feed").bounds.top


def test_a_post_without_words_cannot_be_sent(person: Person) -> None:
    person.open("Social", "New post")

    assert any(node.content_desc == "Post" and not node.enabled for node in person.nodes)
    person.tap("Post")
    assert person.field("post").text == "What is new?"


def test_back_asks_before_it_throws_a_post_away(person: Person) -> None:
    person.open("Social", "New post")
    person.type("Almost")
    person.back()
    person.back()
    person.tap("Keep writing")
    assert person.field("post").text == "Almost"
    person.back()
    person.tap("Discard")

    assert person.sees("Post by Jonas Weber")


def test_who_is_followed_appears_in_the_feed(person: Person) -> None:
    person.open("Social", "Search")
    person.tap_field("search")
    person.type("grace")
    person.back()
    person.tap("Grace Mensah", "Follow")
    assert person.sees("Following")
    person.back()
    person.tap("Feed")
    person.scroll_to("Post by Grace Mensah")

    assert person.sees("Post by Grace Mensah")


def test_a_post_of_ones_own_can_be_deleted_and_one_of_others_cannot(person: Person) -> None:
    person.open("Social")
    person.hold("Post by Jonas Weber")
    assert not person.sees("Delete post")
    person.back()
    person.tap("Profile")
    person.hold("Post by Robin Keller")
    person.tap("Delete post")

    assert person.sees("No posts yet")


def test_a_shared_text_is_the_beginning_of_a_post(person: Person) -> None:
    person.open("Notes", "Quote", "Share", "Social")

    assert person.field("post").text.startswith("The real voyage of discovery")


def test_the_text_of_a_post_goes_from_app_to_app_by_the_clipboard(person: Person) -> None:
    person.open("Social")
    person.hold("Post by Jonas Weber")
    person.tap("Copy text")

    assert person.phone.get_clipboard() == "First frost on the ridge this morning. Gloves on, flask open."
