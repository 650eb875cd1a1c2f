"""What a server's error means: one clear line with a hint, and whether to try again.

Pure functions over status, body and headers, so that they hold for every client library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

from assistant.errors import ContextOverflow, ModelError, ModelRefused, ModelUnsupported
from assistant.messages import Json
from assistant.model.retry import Transient

LONGEST_DETAIL = 300
"""Characters of a server's own words that a message repeats."""

_RETRIED = {408, 409, 425, 429}
_NO_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing", re.I)
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|maximum context"
    r"|prompt is too long|input is too long|too many tokens|reduce the length of the messages"
    r"|range of input length|input (?:token count|length).{0,40}exceeds",
    re.I,
)
_LIMITS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"context (?:length|size|window)\D{0,20}?(\d{3,8})",
        r"(\d{3,8}) (?:tokens? )?(?:maximum )?context (?:length|size|window)",
        r"> ?(\d{3,8}) (?:tokens )?maximum",
        r"tokens allowed \(?(\d{3,8})",
        r"maximum (?:input )?length\D{0,20}?(\d{3,8})",
        r"\[\d+, ?(\d{3,8})\]",
    )
)
_TOOLS = re.compile(r"\btools?\b|tool[_ ](?:choice|use|call)|function[_ ]call", re.I)
_SCHEMA = re.compile(r"response_format|json_schema|\bschema\b|grammar|structured output", re.I)
_NOT_MADE_FOR_IT = re.compile(r"not support|unsupported|not implemented|requires --", re.I)
_SECRET = re.compile(r"\b(sk|key|Bearer)([-_ ])[\w*.-]{6,}", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of whom, as far as the meaning of an error depends on it.

    Attributes:
        address: the server's address, without user and password.
        secret: the API key, which no message repeats.
        optional: parameters of the request that can be left out.
    """

    model: str
    address: str
    secret: str = field(default="", repr=False)
    tools: bool = False
    response_schema: bool = False
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error as the server wrote it. `status` 0: it came inside a stream."""

    status: int
    message: str
    code: str = ""
    param: str = ""
    limit: int | None = None
    retry_after: float | None = None


class Unwelcome(Exception):
    """The server rejects an optional parameter; the request works without it."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


def read_error(status: int, body: str, headers: Mapping[str, str], *, now: datetime) -> ServerError:
    """Read an error response. Servers write them in many ways; a body of HTML is not repeated."""
    wait = retry_after(headers, now=now)
    try:
        content: Json = json.loads(body)
    except ValueError:
        page = "<html" in body[:1000].lower() or "<!doctype" in body[:1000].lower()
        message = "it sent a web page, not an API's answer" if page else body
        return ServerError(status, message, retry_after=wait)
    return replace(read_error_object(status, content), retry_after=wait)


def read_error_object(status: int, content: Json) -> ServerError:
    """Read the JSON of an error, with or without its envelope `error`."""
    if isinstance(content, dict):
        fields = cast("dict[str, Json]", content)
        inner: Json = fields.get("error") or fields
        if isinstance(inner, dict):
            error = cast("dict[str, Json]", inner)
            message = error.get("message") or error.get("detail") or json.dumps(error)
            code = f"{error.get('code') or ''} {error.get('type') or ''}".strip()
            if status == 0 and isinstance(error.get("code"), int):
                status = int(error["code"])
            limit = error.get("n_ctx") if isinstance(error.get("n_ctx"), int) else None
            return ServerError(status, str(message), code, str(error.get("param") or ""), limit)
        return ServerError(status, str(inner))
    return ServerError(status, str(content))


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds that the server asks to wait (RFC 9110, 10.2.3), or None."""
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(lower[name]) * scale)
        except (KeyError, ValueError):
            continue
    try:
        moment = parsedate_to_datetime(lower["retry-after"])
    except (KeyError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def explain(error: ServerError, asked: Asked) -> ModelError | Transient | Unwelcome:
    """Say what an error means for this request, and for whom it is: retry, adapt or the user."""
    words = f"{error.code} {error.param} {error.message}"
    said = detail(error.message, asked.secret)
    if _OVERFLOW.search(words) and error.status not in (401, 403):
        return _overflow(error, asked)
    if error.status in (401, 403):
        return ModelRefused(
            f"{asked.address} refused the API key ({error.status}).",
            hint="Check OPENAI_API_KEY, and that it belongs to OPENAI_BASE_URL.",
        )
    if error.status == 429 and _NO_QUOTA.search(words):
        return ModelRefused(
            f"{asked.address} says that the quota is used up: {said}.",
            hint="Check the plan and billing of this key, or use another model.",
        )
    # Some servers answer 500 to what they were not made for; trying again does not change that.
    failed = error.status >= 500 and not _NOT_MADE_FOR_IT.search(words)
    if failed or error.status in _RETRIED or error.status == 0:
        return _transient(error, asked)
    return _rejected(error, asked, words)


def _rejected(error: ServerError, asked: Asked, words: str) -> ModelError | Unwelcome:
    if error.status in (400, 422):
        for parameter in sorted(asked.optional):
            if error.param == parameter or f"'{parameter}'" in error.message:
                return Unwelcome(parameter)
    if asked.response_schema and _SCHEMA.search(words):
        return _unsupported("response_schema", error, asked)
    if asked.tools and _TOOLS.search(words):
        return _unsupported("tools", error, asked)
    if error.status == 404 and "model" in words.lower():
        return ModelRefused(
            f"{asked.address} has no model {asked.model!r}.",
            hint="Set ASSISTANT_MODEL to a model that it has; 'assistant doctor' lists them.",
        )
    if error.status in (404, 405):
        return ModelRefused(
            f"{asked.address} has no chat completions ({error.status}).",
            hint="Check OPENAI_BASE_URL; it usually ends in /v1.",
        )
    said = detail(error.message, asked.secret)
    return ModelError(f"{asked.address} rejected the request ({error.status}): {said}.")


def _transient(error: ServerError, asked: Asked) -> Transient:
    if error.status == 429:
        problem = f"{asked.address} is over its rate limit (429)."
        return Transient(problem, hint="Wait a while, then ask again.", wait=error.retry_after)
    status = f" ({error.status})" if error.status else ""
    return Transient(
        f"{asked.address} failed{status}: {detail(error.message, asked.secret)}.",
        hint="The server has a problem; ask again later, or use another model.",
        wait=error.retry_after,
    )


def _overflow(error: ServerError, asked: Asked) -> ContextOverflow:
    limit = error.limit or next(
        (int(found[1]) for pattern in _LIMITS if (found := pattern.search(error.message))), None
    )
    known = f" of {limit} tokens" if limit else ""
    return ContextOverflow(
        f"The request is longer than the context{known} of {asked.model!r}.",
        limit=limit,
        hint=f"Set ASSISTANT_CONTEXT_LIMIT to {limit or 'the limit of the model'}.",
    )


def _unsupported(feature: str, error: ServerError, asked: Asked) -> ModelUnsupported:
    what = {"tools": "tool calls", "response_schema": "replies that follow a schema"}[feature]
    said = detail(error.message, asked.secret)
    return ModelUnsupported(
        f"{asked.model!r} at {asked.address} does not take {what}: {said}.",
        feature=feature,
        hint="Use '--protocol auto' or 'text'.",
    )


def detail(words: str, secret: str = "") -> str:
    """Return a server's words in one line, cut to a readable length, without secrets."""
    if len(secret) >= 6:  # shorter ones are placeholders, and parts of common words
        words = words.replace(secret, "***")
    line = _SECRET.sub(r"\1\2***", " ".join(words.split())).rstrip(".")
    return line if len(line) <= LONGEST_DETAIL else line[:LONGEST_DETAIL] + " …"
