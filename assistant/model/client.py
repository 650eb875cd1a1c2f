"""A model behind any OpenAI-compatible server, through the openai client (its only import)."""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from assistant.addresses import is_loopback, is_web_address, shown
from assistant.errors import ModelRefused, ModelUnreachable, SettingsError
from assistant.messages import Json
from assistant.model.assembly import Assembly, read_names
from assistant.model.body import body_of, optional_fields, written
from assistant.model.chat_model import ModelReply, ModelRequest
from assistant.model.failures import (
    Asked,
    Unwelcome,
    detail,
    explain,
    read_error,
    read_error_object,
)
from assistant.model.retry import RetryPolicy, Sleep, Transient
from assistant.phrases import Phrase, phrase

if TYPE_CHECKING:
    from openai import OpenAI, Stream

OPENAI = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 120.0
"""The longest that a server may send nothing before the call counts as failed."""

logger = logging.getLogger(__name__)


class OpenAIChatModel:
    """`ChatModel` over the chat completions API. Always streams; safe for many threads at once.

    Attributes:
        name: the model's name at the server.
        address: the server's address, without secrets; with `name`, what the model is known by.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        address: str | None = None,
        extra: Mapping[str, Json] | None = None,
        retry: RetryPolicy | None = None,
        silence_seconds: float = SILENCE_SECONDS,
        notify: Callable[[Phrase], None] | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """Describe the server; nothing is connected before the first call.

        Args:
            base_url: None means OpenAI's.
            api_key: None where the server needs none.
            address: what to call the server where its address says nothing (the local model).
            extra: further fields of every request's body.
            notify: told in one line of each retry.

        Raises:
            SettingsError: the address or the key cannot be one.
        """
        self.name = name
        self._base_url = (base_url or OPENAI).strip()
        self._api_key = (api_key or "").strip()
        _check(self._base_url, self._api_key)
        self.address = address or shown(self._base_url)
        self._extra = dict(extra or {})
        self._retry = retry or RetryPolicy()
        self._silence_seconds = silence_seconds
        self._notify = notify
        self._sleep = sleep
        self._lock = threading.Lock()
        self._opened: OpenAI | None = None
        # Optional fields that this server was seen to reject.
        self._unwelcome = {"max_tokens"} if self._base_url.startswith(OPENAI) else set[str]()

    def __repr__(self) -> str:
        return f"OpenAIChatModel(name={self.name!r}, address={self.address!r})"

    def complete(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Yield the reply's text as it comes, then the whole reply.

        A failure before the first piece of text is retried; one after it is reported, since what
        was passed on cannot be taken back.

        Raises:
            ModelError: see `assistant.errors` for its kinds.
        """
        request_id = f"req_{secrets.token_hex(8)}"
        begin = partial(self._begin, request, request_id, time.monotonic())
        announce = partial(self._announce, request_id)
        first, rest = self._retry.call(begin, sleep=self._sleep, notify=announce)
        with closing(rest):
            yield first
            try:
                yield from rest
            except Transient as failure:
                said = phrase("model.broke_off", problem=failure.said)
                hint = phrase("model.broke_off_hint")
                raise ModelUnreachable(said, hint=hint) from None

    def names(self) -> list[str]:
        """Return the names of the models that the server has.

        Raises:
            ModelError: the server cannot be asked.
        """
        try:
            with _Failures(self._asked()):
                content: Json = self._client().get("/models", cast_to=object)
        except Transient as failure:
            raise ModelUnreachable(failure.said, hint=failure.hint) from None
        return read_names(content)

    def close(self) -> None:
        """Close the connections. A later call opens them again."""
        with self._lock:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _announce(self, request_id: str, line: Phrase) -> None:
        logger.warning("%s: %s", request_id, line)
        if self._notify is not None:
            self._notify(line)

    def _begin(
        self, request: ModelRequest, request_id: str, started: float
    ) -> tuple[str | ModelReply, Generator[str | ModelReply]]:
        """Make one attempt; return when its first piece of text, or the whole reply, is there."""
        while True:
            rest = self._attempt(request, request_id, started)
            try:
                return next(rest), rest
            except Unwelcome as rejected:
                # Ends: what is left out is not in the request that is rejected next.
                logger.info("%s: %s is rejected, left out", request_id, rejected.parameter)
                self._unwelcome.add(rejected.parameter)

    def _attempt(
        self, request: ModelRequest, request_id: str, started: float
    ) -> Generator[str | ModelReply]:
        assembly = Assembly(request.reply_tokens)
        body = body_of(self.name, request, unwelcome=self._unwelcome, extra=self._extra)
        logger.info("%s: asking %r at %s", request_id, self.name, self.address)
        with _Failures(self._asked(request)):
            stream = self._send(body, request_id)
            server_id = stream.response.headers.get("x-request-id", "none")
            logger.info("%s: the server's id is %s", request_id, server_id)
            with closing(stream):
                for event in _events(stream, self._asked(request)):
                    if text := assembly.add(event):
                        yield text
                    if assembly.full:
                        break
        if not (assembly.finish or assembly.full):
            key = "model.ended_early" if assembly.events else "model.ended_empty"
            raise Transient(phrase(key, address=self.address))
        reply = assembly.reply(request_id, time.monotonic() - started)
        logger.info("%s: %s after %.2f s, %s", request_id, reply.finish, reply.seconds, reply.usage)
        yield reply

    def _send(self, body: dict[str, Json], request_id: str) -> Stream[object]:
        import openai

        return self._client().post(
            "/chat/completions",
            cast_to=object,
            content=written(body),
            options={"headers": {"X-Request-ID": request_id, "Content-Type": "application/json"}},
            stream=True,
            stream_cls=openai.Stream[object],
        )

    def _asked(self, request: ModelRequest | None = None) -> Asked:
        if request is None:
            return Asked(self.name, self.address, self._api_key)
        return Asked(
            model=self.name,
            address=self.address,
            secret=self._api_key,
            tools=bool(request.tools),
            response_schema=request.response_schema is not None,
            optional=frozenset(optional_fields(request, self._unwelcome)),
        )

    def _client(self) -> OpenAI:
        if self._base_url.startswith(OPENAI) and not self._api_key:
            raise ModelRefused(phrase("model.no_key"), hint=phrase("model.no_key_hint"))
        with self._lock:
            if self._opened is None:
                self._opened = _connect(self._base_url, self._api_key, self._silence_seconds)
            return self._opened


def _check(base_url: str, api_key: str) -> None:
    if not is_web_address(base_url):
        said = phrase("model.bad_address", address=base_url)
        raise SettingsError(said, hint=phrase("model.bad_address_hint"))
    if not (api_key.isascii() and api_key.isprintable()):
        raise SettingsError(phrase("model.bad_key"), hint=phrase("model.bad_key_hint"))


def _connect(base_url: str, api_key: str, silence_seconds: float) -> OpenAI:
    # openai looks for httpx among the loaded modules at each call, and fails on one that another
    # thread is still importing.
    import httpx  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import openai

    return openai.OpenAI(
        api_key=api_key or "none",  # the client insists on one
        base_url=base_url,
        max_retries=0,  # the one retry layer is ours
        timeout=openai.Timeout(silence_seconds, connect=CONNECT_SECONDS),
        http_client=openai.DefaultHttpxClient(trust_env=not is_loopback(base_url)),
    )


def _events(stream: Stream[object], asked: Asked) -> Iterator[Json]:
    """The events of a response, which a server that does not stream sends as one JSON object."""
    kind = stream.response.headers.get("content-type", "")
    if "html" in kind:
        said = phrase("model.web_page", address=asked.address)
        raise ModelRefused(said, hint=phrase("model.base_url_hint"))
    if "json" not in kind:
        yield from stream
        return
    stream.response.read()
    content: Json = stream.response.json()
    if isinstance(content, dict) and "error" in content:
        raise explain(read_error_object(0, content), asked)
    yield content


class _Failures:
    """Turns what the openai client raises into our errors, `Transient` and `Unwelcome`.

    Their causes are dropped: the client's errors hold the request with its key.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            return
        import openai

        address = self._asked.address
        if isinstance(error, openai.APIStatusError):
            response = error.response
            read = read_error(
                response.status_code, response.text, response.headers, now=datetime.now(UTC)
            )
            raise explain(read, self._asked) from None
        if isinstance(error, openai.APITimeoutError):
            raise Transient(phrase("model.no_answer", address=address), hint=_REACH) from None
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            reason = detail(str(cause) or type(cause).__name__, self._asked.secret)
            reason = re.sub(r"^\[Errno -?\d+\] ", "", reason)
            said = phrase("model.no_connection", address=address, problem=reason)
            raise Transient(said, hint=_REACH) from None
        if isinstance(error, openai.APIError):
            raise explain(read_error_object(0, error.body or error.message), self._asked) from None
        if isinstance(error, ValueError):
            raise Transient(phrase("model.broken_json", address=address), hint=_REACH) from None


_REACH = phrase("model.reach_hint")
