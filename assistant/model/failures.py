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
from assistant.phrases import Phrase, phrase, say

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
_PAGE = say("model.page", "en")
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
        message = _PAGE if page else body
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
    said = _said(error, asked)
    if _OVERFLOW.search(words) and error.status not in (401, 403):
        return _overflow(error, asked)
    if error.status in (401, 403):
        refused = phrase("model.key_refused", address=asked.address, status=error.status)
        return ModelRefused(refused, hint=phrase("model.key_refused_hint"))
    if error.status == 429 and _NO_QUOTA.search(words):
        used_up = phrase("model.no_quota", address=asked.address, said=said)
        return ModelRefused(used_up, hint=phrase("model.no_quota_hint"))
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
        unknown = phrase("model.no_model", address=asked.address, model=asked.model)
        return ModelRefused(unknown, hint=phrase("model.no_model_hint"))
    if error.status in (404, 405):
        elsewhere = phrase("model.no_completions", address=asked.address, status=error.status)
        return ModelRefused(elsewhere, hint=phrase("model.base_url_hint"))
    said = _said(error, asked)
    values = {"address": asked.address, "status": error.status, "said": said}
    return ModelError(phrase("model.rejected", **values))


def _transient(error: ServerError, asked: Asked) -> Transient:
    if error.status == 429:
        limited = phrase("model.rate_limit", address=asked.address)
        hint = phrase("model.rate_limit_hint")
        return Transient(limited, hint=hint, wait=error.retry_after)
    said = _said(error, asked)
    values = {"address": asked.address, "status": error.status, "said": said}
    failed = phrase("model.failed" if error.status else "model.failed_stream", **values)
    return Transient(failed, hint=phrase("model.failed_hint"), wait=error.retry_after)


def _overflow(error: ServerError, asked: Asked) -> ContextOverflow:
    limit = error.limit or next(
        (int(found[1]) for pattern in _LIMITS if (found := pattern.search(error.message))), None
    )
    if limit is None:
        said = phrase("model.overflow_unknown", model=asked.model)
        return ContextOverflow(said, hint=phrase("model.overflow_unknown_hint"))
    said = phrase("model.overflow", limit=limit, model=asked.model)
    return ContextOverflow(said, limit=limit, hint=phrase("model.overflow_hint", limit=limit))


def _unsupported(feature: str, error: ServerError, asked: Asked) -> ModelUnsupported:
    said = phrase(
        "model.unsupported",
        model=asked.model,
        address=asked.address,
        what=phrase(f"model.{feature}"),
        said=_said(error, asked),
    )
    return ModelUnsupported(said, feature=feature, hint=phrase("model.unsupported_hint"))


def _said(error: ServerError, asked: Asked) -> Phrase | str:
    return phrase("model.page") if error.message == _PAGE else detail(error.message, asked.secret)


def detail(words: str, secret: str = "") -> str:
    """Return a server's words in one line, cut to a readable length, without secrets."""
    if len(secret) >= 6:  # shorter ones are placeholders, and parts of common words
        words = words.replace(secret, "***")
    line = _SECRET.sub(r"\1\2***", " ".join(words.split())).rstrip(".")
    return line if len(line) <= LONGEST_DETAIL else line[:LONGEST_DETAIL] + " …"
