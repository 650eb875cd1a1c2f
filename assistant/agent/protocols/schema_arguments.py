"""Has a small model fill in a tool's arguments, and takes those that were said and not made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from assistant.agent.grounding import ungrounded
from assistant.agent.moment import today
from assistant.agent.protocols.protocol import Ask
from assistant.agent.protocols.schema_memories import shown_memories, with_memories
from assistant.agent.reading import read_object
from assistant.agent.run import Run
from assistant.messages import Json
from assistant.tools import Tool, calls
from memory_store import Hit

Known = Callable[[str], Hit | None]
"""Returns the memory of a subject, if it is current."""

MOST_CALLS = 4
"""Calls of one tool that a reply may ask for at once."""

_FILL = {
    "en": "(Fill in the arguments of the tool {name}, only from what the user says: {about})",
    "zh": "（只根据用户所说，填写工具 {name} 的参数：{about}）",
}


def refreshing(tool: Tool, run: Run) -> dict[str, Json] | None:
    """Return the arguments of the call that a stale memory names, if the question means it."""
    judged = [hit.judgement for hit in run.request.recall.hits]
    judged += [each.judgement for each in run.request.recall.dropped]
    judged += run.request.judgements.values()
    current = {judgement.call for judgement in judged if judgement.verdict.current}
    for text in (judgement.call for judgement in judged if not judgement.verdict.current):
        call = calls.parse(text or "")
        if text in current or call is None or call[0] != tool.name or not call[1]:
            continue
        if not ungrounded(tool, call[1], run.question):
            return call[1]
    return None


def ask_arguments(tool: Tool, part: str, run: Run) -> Ask:
    """Ask for the arguments of the calls of a tool that a part of the question needs."""
    about = f"{tool.description} {_parameters(tool)}"
    told = _FILL[run.language].format(name=tool.name, about=about)
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {
            "calls": {
                "type": "array",
                "items": _strict(tool.parameters),
                "minItems": 1,
                "maxItems": MOST_CALLS,
            }
        },
        "required": ["calls"],
        "additionalProperties": False,
    }
    # What does not age is worked out from the question alone; other tools may need a memory.
    kept = () if tool.max_age is None else shown_memories(run)
    question = f"{today(run)}\n\n{part}\n\n{told}"
    request = replace(with_memories(run.request, kept), question=question, response_schema=schema)
    return Ask(request, shown=False)


def filled_in(text: str) -> list[dict[str, Json]]:
    """Return the arguments of each call in a reply to `ask_arguments`."""
    found = cast("Sequence[Json]", (read_object(text) or {}).get("calls", []))
    return [cast("dict[str, Json]", each) for each in found if isinstance(each, dict)]


def worth_calling(
    tool: Tool, found: list[dict[str, Json]], run: Run, known: Known
) -> tuple[list[dict[str, Json]], list[str]]:
    """Return the calls that are valid, said by the user, and not known already.

    Beside them stand the names of required arguments that were not said.
    """
    wanted: dict[str, dict[str, Json]] = {}
    missing: list[str] = []
    now = run.context.now.date()  # was told to the model, beside the question
    year = f"{now.year} {now.year + 1}"
    said = "\n".join((run.question, year, *(t.question for t in run.request.window[-3:])))
    required = cast("list[str]", tool.parameters.get("required", []))
    for arguments in found:
        made_up = ungrounded(tool, arguments, said)
        made_up = [name for name in made_up if arguments[name] != now.isoformat()]
        if unsaid := [name for name in made_up if name in required]:
            missing += unsaid
            continue
        kept = {name: value for name, value in arguments.items() if name not in made_up}
        read = run.tools.read(tool.name, kept)
        if isinstance(read, str):
            continue
        if tool.max_age is not None and _is_known(tool.subject_of(read[1]), run, known):
            continue
        wanted[tool.canonical(read[1])] = kept
    return list(wanted.values()), missing


def _is_known(subject: str, run: Run, known: Known) -> bool:
    """Whether a current memory of that subject stands before the model; recalled if need be."""
    recall = run.request.recall
    if any(hit.chunk.subject == subject and hit.verdict.current for hit in recall.hits):
        return True
    hit = known(subject)
    if hit is None:
        return False
    shown = {chunk for turn in run.request.window for chunk in turn.chunk_ids}
    if hit.chunk.id not in shown:
        run.request = with_memories(run.request, (hit, *recall.hits))
    return True


def _parameters(tool: Tool) -> str:
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.parameters.get("properties", {}))
    return "; ".join(
        f"{name}: {schema['description']}"
        for name, schema in properties.items()
        if "description" in schema
    )


def _strict(parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the schema without what a grammar cannot hold or a small model stumbles over."""
    return {key: value for key, value in parameters.items() if key not in ("description",)}
