"""Properties that are computed once."""

import threading
from concurrent.futures import ThreadPoolExecutor

from memory_store.once import once


class Part:
    """Counts how often its value is made."""

    def __init__(self) -> None:
        self.made = 0
        self.entered = threading.Event()

    @once
    def value(self) -> object:
        """A value that takes a while."""
        self.made += 1
        self.entered.wait(0.2)  # lets the other threads come to the same point
        return object()


def test_threads_that_ask_first_get_one_value() -> None:
    """Eight threads at once make the value once, and all get it; another object has its own."""
    part = Part()
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _number: part.value, range(8)))
    assert part.made == 1
    assert all(value is values[0] for value in values)
    assert Part().value is not values[0]
    assert Part.value.__doc__ == "A value that takes a while."
