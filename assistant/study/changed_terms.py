"""The terms of a plan after a change: hours, days off, a halved week, another end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.study.change import Change
from assistant.study.minutes import to_hours
from assistant.study.plan import Plan, Terms


def located(change: Change, plan: Plan) -> Change:
    """Return the change with its week's number, where it names the week by a day.

    Raises:
        UserError: the day is in no week of the plan.
    """
    day = change.start
    if change.kind != "halve" or change.week or day is None:
        return change
    for week in plan.weeks:
        if week.start <= day <= week.end:
            return replace(change, week=week.number, start=None)
    raise UserError(phrase("study.no_week_now", start=plan.start, end=plan.end))


def changed_terms(plan: Plan, change: Change, today: date, last_done: int) -> Terms:
    """Return the plan's terms with the change made.

    Args:
        last_done: the number of the last week that holds finished work; 0: none does.

    Raises:
        UserError: the change is impossible, or changes nothing.
    """
    if plan.end < today and change.kind != "catch_up":
        raise UserError(phrase("study.plan_over", plan=plan.name, end=plan.end))
    match change.kind:
        case "hours":
            return with_hours(plan, change.minutes, today)
        case "away":
            return _with_days_off(plan.terms, change, today)
        case "halve":
            return _with_half_week(plan, change.week, today)
        case "end":
            return _with_end(plan, change, today, last_done)
        case "catch_up":
            return plan.terms


def with_hours(plan: Plan, minutes: int, today: date) -> Terms:
    """Return terms with other weekly hours from this week on; a lighter week stays lighter."""
    terms = plan.terms
    if minutes == terms.minutes_a_week:
        raise UserError(phrase("study.same_hours", hours=to_hours(minutes)))
    over = [week.number for week in plan.weeks if week.end < today]
    loads = {n: terms.loads.get(n, terms.minutes_a_week) for n in over}
    for week, load in terms.loads.items():
        loads.setdefault(week, min(load, minutes))
    return replace(terms, minutes_a_week=minutes, loads=loads)


def _with_days_off(terms: Terms, change: Change, today: date) -> Terms:
    start, end = change.start, change.end
    assert start is not None
    assert end is not None
    if end < start:
        raise UserError(phrase("study.wrong_order", start=start, end=end))
    if end < today:
        raise UserError(phrase("study.days_over", start=start, end=end))
    first, last = max(start, today, terms.start), min(end, terms.end)
    if first > last:
        raise UserError(phrase("study.days_outside", start=terms.start, end=terms.end))
    away = {first + timedelta(days=n) for n in range((last - first).days + 1)}
    return replace(terms, off=terms.off | away)


def _with_half_week(plan: Plan, number: int, today: date) -> Terms:
    if not 1 <= number <= len(plan.weeks):
        raise UserError(phrase("study.no_week", last=len(plan.weeks), week=number))
    week = plan.weeks[number - 1]
    if week.end < today:
        raise UserError(phrase("study.week_over", week=number, end=week.end))
    whole = plan.terms.loads.get(number, plan.terms.minutes_a_week)
    return replace(plan.terms, loads={**plan.terms.loads, number: whole // 2})


def _with_end(plan: Plan, change: Change, today: date, last_done: int) -> Terms:
    end, terms = change.end, plan.terms
    assert end is not None
    if end == terms.end:
        raise UserError(phrase("study.same_end", end=end))
    if end < (least := max(today, terms.start)):
        raise UserError(phrase("study.end_early", end=end, least=least))
    if last_done and end < plan.weeks[last_done - 1].start:
        raise UserError(phrase("study.end_finished", week=last_done, end=end))
    if (end - terms.start).days > 3653:
        raise UserError(phrase("study.end_late", end=end))
    return replace(terms, end=end)
