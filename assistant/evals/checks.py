"""The checks of a case: pure functions from what is expected and what a run told to what failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.evals.case import Expectation, ExpectedCall
from assistant.messages import Json
from assistant.run_record import RunRecord, StepRecord

_NUMBER = re.compile(r"-?\d[\d,，]*(?:\.\d+)?")


def failures(expected: Expectation, run: RunRecord) -> tuple[str, ...]:
    """Return what does not hold, each in one clause; empty when the turn passes.

    The `judge` check needs a model and is made by the runner.
    """
    return (
        *_answer_failures(expected, run.answer),
        *_call_failures(expected, run.steps),
        *_memory_failures(expected, run),
        *_limit_failures(expected, run),
    )


def numbers_in(text: str) -> tuple[float, ...]:
    """Return the numbers of a text, thousands separators read, in their order."""
    return tuple(float(re.sub(r"[,，]", "", match)) for match in _NUMBER.findall(text))


def _answer_failures(expected: Expectation, answer: str) -> Iterator[str]:
    folded = answer.casefold()
    for words in expected.contains:
        choices = (words,) if isinstance(words, str) else words
        if not any(word.casefold() in folded for word in choices):
            yield f"the answer has none of {', '.join(map(repr, choices))}"
    for word in expected.excludes:
        if word.casefold() in folded:
            yield f"the answer has {word!r}"
    for pattern in expected.matches:
        if not re.search(pattern, answer):
            yield f"the answer does not match {pattern!r}"
    found = numbers_in(answer)
    for number in expected.numbers:
        if not any(abs(value - number.value) <= number.within for value in found):
            yield f"the answer has no number within {number.within:g} of {number.value:g}"


def _call_failures(expected: Expectation, steps: Sequence[StepRecord]) -> Iterator[str]:
    called = [step.tool for step in steps]
    for call in expected.called:
        if not any(_is_call(step, call) for step in steps):
            shown = [f"{step.tool}({step.arguments})" for step in steps]
            yield f"{call.tool}({call.arguments or ''}) was not called, but {shown or 'nothing'}"
    for tool in expected.not_called:
        if tool in called:
            yield f"{tool} was called"
    if expected.order and not _in_order(expected.order, called):
        yield f"the calls were {called}, not in the order {list(expected.order)}"


def _is_call(step: StepRecord, call: ExpectedCall) -> bool:
    if step.tool != call.tool or not step.ok:
        return False
    given = step.arguments if isinstance(step.arguments, dict) else {}
    return all(
        name in given and _same(given[name], value) for name, value in call.arguments.items()
    )


def _same(one: Json, other: Json) -> bool:
    return str(one).strip().casefold() == str(other).strip().casefold()


def _in_order(wanted: Sequence[str], called: Sequence[str]) -> bool:
    remaining = iter(called)
    return all(name in remaining for name in wanted)


def _memory_failures(expected: Expectation, run: RunRecord) -> Iterator[str]:
    hits = run.recall.hits if run.recall is not None else ()
    dropped = run.recall.dropped if run.recall is not None else ()
    for text in expected.memory_used:
        if not any(text in hit.text for hit in hits):
            yield f"no memory with {text!r} was used"
    for wanted in expected.verdicts:
        verdicts = {str(one.verdict) for one in (*hits, *dropped) if wanted.text in one.chunk.text}
        if wanted.verdict not in verdicts:
            found = ", ".join(sorted(verdicts)) or "not found"
            yield f"the memory with {wanted.text!r} was {found}, not {wanted.verdict}"


def _limit_failures(expected: Expectation, run: RunRecord) -> Iterator[str]:
    if expected.stopped is not None and run.stopped != expected.stopped:
        yield f"the run stopped by {run.stopped}, not {expected.stopped}"
    if expected.tokens_at_most is not None and run.largest_request > expected.tokens_at_most:
        yield f"a request had {run.largest_request} tokens, over {expected.tokens_at_most}"
    if expected.steps_at_most is not None and len(run.steps) > expected.steps_at_most:
        yield f"{len(run.steps)} calls were made, over {expected.steps_at_most}"
