from topictemper._utils._log import counted


def test_numbers_with_their_nouns():
    counts = [counted(n, "topic") for n in (0, 1, 2000)]
    assert counts == ["0 topics", "1 topic", "2,000 topics"]
