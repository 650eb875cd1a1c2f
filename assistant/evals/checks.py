"""The checks of a case: pure functions from what is expected and what a run told to what failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.evals.case import Expectation, ExpectedCall
from assistant.messages import Json
from assistant.phrases import Phrase, phrase
from assistant.run_record import RunRecord, StepRecord

_NUMBER = re.compile(r"-?\d[\d,，]*(?:\.\d+)?")


def failures(expected: Expectation, run: RunRecord) -> tuple[Phrase, ...]:
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


def _answer_failures(expected: Expectation, answer: str) -> Iterator[Phrase]:
    folded = answer.casefold()
    for words in expected.contains:
        choices = (words,) if isinstance(words, str) else words
        if not any(word.casefold() in folded for word in choices):
            yield phrase("eval.lacks", words=", ".join(map(repr, choices)))
    for word in expected.excludes:
        if word.casefold() in folded:
            yield phrase("eval.has", word=repr(word))
    for pattern in expected.matches:
        if not re.search(pattern, answer):
            yield phrase("eval.no_match", pattern=repr(pattern))
    found = numbers_in(answer)
    for number in expected.numbers:
        if not any(abs(value - number.value) <= number.within for value in found):
            yield phrase("eval.no_number", within=number.within, number=number.value)


def _call_failures(expected: Expectation, steps: Sequence[StepRecord]) -> Iterator[Phrase]:
    called = [step.tool for step in steps]
    for call in expected.called:
        if not any(_is_call(step, call) for step in steps):
            shown = [f"{step.tool}({step.arguments})" for step in steps]
            wanted = f"{call.tool}({call.arguments or ''})"
            yield phrase("eval.not_called", call=wanted, calls=shown or phrase("eval.nothing"))
    for tool in expected.not_called:
        if tool in called:
            yield phrase("eval.called", tool=tool)
    if expected.order and not _in_order(expected.order, called):
        yield phrase("eval.order", calls=called, order=list(expected.order))


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


def _memory_failures(expected: Expectation, run: RunRecord) -> Iterator[Phrase]:
    hits = run.recall.hits if run.recall is not None else ()
    dropped = run.recall.dropped if run.recall is not None else ()
    for text in expected.memory_used:
        if not any(text in hit.text for hit in hits):
            yield phrase("eval.not_used", text=repr(text))
    for wanted in expected.verdicts:
        verdicts = {str(one.verdict) for one in (*hits, *dropped) if wanted.text in one.chunk.text}
        if wanted.verdict not in verdicts:
            found = ", ".join(sorted(verdicts)) or phrase("eval.not_found")
            values = {"text": repr(wanted.text), "found": found, "wanted": wanted.verdict}
            yield phrase("eval.verdict", **values)


def _limit_failures(expected: Expectation, run: RunRecord) -> Iterator[Phrase]:
    if expected.stopped is not None and run.stopped != expected.stopped:
        yield phrase("eval.stopped", stopped=run.stopped, wanted=expected.stopped)
    if expected.tokens_at_most is not None and run.largest_request > expected.tokens_at_most:
        values = {"tokens": run.largest_request, "most": expected.tokens_at_most}
        yield phrase("eval.tokens", **values)
    if expected.steps_at_most is not None and len(run.steps) > expected.steps_at_most:
        yield phrase("eval.steps", calls=len(run.steps), most=expected.steps_at_most)
