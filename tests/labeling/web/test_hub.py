"""News for pages: whoever listens ends up with the newest."""

import asyncio
from threading import Event, Thread

from adjudge.labeling.web.hub import Hub


def test_news_between_asking_and_listening_are_not_missed() -> None:
    async def first_heard() -> str:
        hub = Hub(asyncio.get_running_loop())
        line = hub.listen("before any look")  # nothing runs until it is read
        hub.publish(lambda: "two wait for a decision")
        return await anext(line)

    assert asyncio.run(first_heard()) == "data: two wait for a decision\n\n"


def test_without_news_a_listener_begins_with_what_is_known() -> None:
    assert asyncio.run(anext(Hub().listen("no look yet", str.upper))) == "data: NO LOOK YET\n\n"  # type: ignore[arg-type]


def test_older_news_are_not_said_after_newer_ones() -> None:
    hub, answers, began, go_on = Hub(), ["one"], Event(), Event()

    def slow() -> str:
        said = " and ".join(answers)
        began.set()
        go_on.wait(60)
        return said

    threads = [Thread(target=hub.publish, args=(slow,))]
    threads[0].start()
    began.wait(60)
    answers.append("two")
    threads.append(Thread(target=hub.publish, args=(lambda: " and ".join(answers),)))
    threads[1].start()
    threads[1].join(0.2)  # it has to wait; if it does not, it is over by now
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert hub.last == "one and two"
