import pytest

from topictemper._utils._names import names_of_topics


def topics_of(*texts):
    return [list(text) for text in texts]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (topics_of("abcdefghij", "abdcefghij"), ["a b c", "a b d"]),
        (topics_of("abcdefghij", "klmnopqrst", "abcxyzuvwt"), ["a b c d", "k l m", "a b c x"]),
        (
            topics_of("abcdefghij", "abcdxyzuvw", "abczyxuvwt"),
            ["a b c d e", "a b c d x", "a b c z"],
        ),
        # Topics that have learned nothing.
        (topics_of("abcdefghij", "abcdefghij", "abcxyzuvwt"), ["a b c", "a b c", "a b c x"]),
        (topics_of("ab", "ab", "ba"), ["a b", "a b", "b a"]),
        (
            [["new york", "city", "a", "b"], ["new", "york city", "a", "c"]],
            ["new york; city; a", "new; york city; a"],
        ),
        (
            [
                ["new york", "city", "a", *"bc"],
                ["new", "york", "city", *"ad"],
                ["new", "york", "city", *"ef"],
            ],
            ["new york; city; a", "new york city a", "new york city e"],
        ),
    ],
)
def test_a_name_has_more_words_where_another_topic_begins_with_the_same(words, names):
    assert names_of_topics(words, {}) == names


def test_a_name_has_more_words_where_another_topic_is_labeled_so():
    words = topics_of("abcdefghij", "klmnopqrst", "uvwxyz")
    assert names_of_topics(words, {1: "a b c", 2: "u v w"}) == ["a b c d", "k l m", "u v w"]
