"""Web addresses: what may be shown of one, and whether it is on this machine."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_web_address(url: str) -> bool:
    """Whether `url` is an http(s) address with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether `url` is on this machine, and so is reached past any proxy of the environment."""
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


def shown(url: str) -> str:
    """Return `url` without user, password and query, to be shown."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")
