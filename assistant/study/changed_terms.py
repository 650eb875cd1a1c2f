"""The terms of a plan after a change: hours, days off, a halved week, another end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from assistant.errors import UserError
from assistant.study.change import Change
from assistant.study.minutes import spoken
from assistant.study.plan import Plan, Terms


def changed_terms(plan: Plan, change: Change, today: date, last_done: int) -> Terms:
    """Return the plan's terms with the change made.

    Args:
        last_done: the number of the last week that holds finished work; 0: none does.

    Raises:
        UserError: the change is impossible, or changes nothing.
    """
    if plan.end < today and change.kind != "catch_up":
        raise UserError(f"plan {plan.name!r} ended on {plan.end}; there is no week to change.")
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
        raise UserError(f"the plan already has {spoken(minutes)} a week.")
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
        raise UserError(f"{end} comes before {start}; give the earlier day first.")
    if end < today:
        raise UserError(f"{start} to {end} is over; for what was missed, use 'study adjust'.")
    first, last = max(start, today, terms.start), min(end, terms.end)
    if first > last:
        raise UserError(f"the plan is from {terms.start} to {terms.end}; those days are outside.")
    away = {first + timedelta(days=n) for n in range((last - first).days + 1)}
    return replace(terms, off=terms.off | away)


def _with_half_week(plan: Plan, number: int, today: date) -> Terms:
    if not 1 <= number <= len(plan.weeks):
        raise UserError(f"the plan has weeks 1 to {len(plan.weeks)}; there is no week {number}.")
    week = plan.weeks[number - 1]
    if week.end < today:
        raise UserError(f"week {number} ended on {week.end}; choose a week that is to come.")
    whole = plan.terms.loads.get(number, plan.terms.minutes_a_week)
    return replace(plan.terms, loads={**plan.terms.loads, number: whole // 2})


def _with_end(plan: Plan, change: Change, today: date, last_done: int) -> Terms:
    end, terms = change.end, plan.terms
    assert end is not None
    if end == terms.end:
        raise UserError(f"the plan already ends on {end}.")
    if end < max(today, terms.start):
        raise UserError(f"{end} is too early: the end must be {max(today, terms.start)} or later.")
    if last_done and end < plan.weeks[last_done - 1].start:
        raise UserError(f"week {last_done} holds finished work, so the plan cannot end on {end}.")
    if (end - terms.start).days > 3653:
        raise UserError(f"{end} is more than ten years after the start.")
    return replace(terms, end=end)
