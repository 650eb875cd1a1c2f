"""The one retry layer over a model's server: exponential backoff with jitter, within a total."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

from assistant.errors import ModelUnreachable
from assistant.phrases import Phrase, phrase

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
Sleep = Callable[[float], None]
"""Waits for so many seconds. Passed in, so that tests do not wait."""

logger = logging.getLogger(__name__)


class Transient(Exception):
    """An attempt failed in a way that another attempt may mend.

    Attributes:
        said: what failed.
        hint: what the user can do if it cannot be mended.
        wait: seconds to wait that the server asks for (Retry-After); None where it says nothing.
    """

    def __init__(self, said: Phrase, *, hint: Phrase | str = "", wait: float | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.hint = hint
        self.wait = wait


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a failed call is tried again. Times are seconds.

    Attributes:
        total: the most that all waits and attempts of one call may take before another begins.
        first_wait: doubled at each attempt up to `longest_wait`, plus up to `jitter`.
    """

    attempts: int = 5
    total: float = 60.0
    first_wait: float = 0.5
    longest_wait: float = 20.0
    jitter: float = 0.5

    def call(
        self,
        attempt: Callable[[], T],
        *,
        sleep: Sleep = time.sleep,
        notify: Callable[[Phrase], None] = logger.info,
    ) -> T:
        """Return what `attempt` returns, trying again while it raises `Transient`.

        Args:
            notify: told in one line of every wait, before it.

        Raises:
            ModelUnreachable: the last attempt failed, or the total would be exceeded.
        """
        from tenacity import Retrying, retry_if_exception_type, wait_exponential_jitter

        backoff = wait_exponential_jitter(
            initial=self.first_wait, max=self.longest_wait, jitter=self.jitter
        )

        def wait(state: RetryCallState) -> float:
            asked = _failure(state).wait
            return backoff(state) if asked is None else asked

        def announce(state: RetryCallState) -> None:
            said, seconds = _failure(state).said, state.upcoming_sleep
            notify(phrase("model.again", failure=said, seconds=seconds))

        retrying = Retrying(
            sleep=sleep,
            wait=wait,
            stop=self._over,
            retry=retry_if_exception_type(Transient),
            before_sleep=announce,
            retry_error_callback=self._give_up,
        )
        return retrying(attempt)

    def _over(self, state: RetryCallState) -> bool:
        # `idle_for` counts the waits also where an injected sleep does not really wait.
        spent = max(state.seconds_since_start or 0.0, state.idle_for)
        if state.attempt_number >= self.attempts:
            return True
        return spent + state.upcoming_sleep > self.total

    def _give_up(self, state: RetryCallState) -> NoReturn:
        failure = _failure(state)
        said = failure.said
        if state.attempt_number > 1:
            said = phrase("model.tried", failure=said, attempts=state.attempt_number)
        if failure.wait is not None and failure.wait > self.total:
            times = {"wait": failure.wait, "total": self.total}
            said = phrase("model.long_wait", failure=said, **times)
        raise ModelUnreachable(said, hint=failure.hint) from None


def _failure(state: RetryCallState) -> Transient:
    failure = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(failure, Transient)
    return failure
