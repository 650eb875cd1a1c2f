"""A small HTTP server on loopback in a thread, answering by a function. For tests."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Disturbance(Enum):
    """What goes wrong in the middle of a response."""

    STALL = "nothing more is sent until the server closes"
    CUT = "the connection is cut"


STALL = Disturbance.STALL
CUT = Disturbance.CUT

Part = bytes | Disturbance
"""A piece of a response's body, sent at once, or what goes wrong in its place."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came. Header names are in lower case; `path` includes the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """What to answer."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: tuple[Part, ...] = ()


class Loopback:
    """Listens on a free port of 127.0.0.1 until it is closed; each request has its own thread."""

    def __init__(self, answer: Callable[[Request], Response]) -> None:
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(answer, self._closing))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True, name="loopback"
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and end the responses that stall."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away; report everything else."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]


def _handler(
    answer: Callable[[Request], Response], closing: threading.Event
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, self.rfile.read(length))
            try:
                self._send(answer(request))
            except OSError:  # the client has gone
                self.close_connection = True

        do_GET = do_POST  # noqa: N815 (http.server asks for these names)

        def _send(self, response: Response) -> None:
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in response.parts:
                if isinstance(part, Disturbance):
                    self._disturb(part)
                    return
                if part:  # an empty chunk would end the body
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")

        def _disturb(self, disturbance: Disturbance) -> None:
            if disturbance is STALL:
                closing.wait()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
            """Say nothing on standard error."""

    return Handler
