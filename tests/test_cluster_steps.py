"""Steps of long work, and reminders of those that last."""

import threading

from topk_tune.cluster.steps import Steps

FAR = 1e6
"""Seconds, in which no reminder comes."""


def test_a_step_is_said_when_it_begins_and_again_while_it_lasts() -> None:
    said: list[str] = []
    reminded = threading.Event()

    def say(words: str) -> None:
        said.append(words)
        if len(said) == 4:
            reminded.set()

    with Steps(say, remind=0.01) as steps:
        steps.at("installing")
        assert reminded.wait(300)
        steps.at("starting")
    first, *others = said[: said.index("starting")]
    assert first == "installing"
    assert all(words.startswith("installing (") for words in others)
    assert all(words.endswith(" s so far)") for words in others)


def test_nothing_is_said_before_the_first_step_nor_after_the_last() -> None:
    said: list[str] = []
    with Steps(said.append, remind=0.001) as steps:
        threading.Event().wait(0.05)
        assert said == []
        steps.at("one")
    count = len(said)
    threading.Event().wait(0.05)
    assert len(said) == count
    assert not [thread for thread in threading.enumerate() if thread is steps._reminder]


def test_a_short_step_is_said_once() -> None:
    said: list[str] = []
    with Steps(said.append, remind=FAR) as steps:
        steps.at("one")
        steps.at("two")
    assert said == ["one", "two"]
