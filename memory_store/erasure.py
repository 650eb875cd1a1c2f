"""Erasing: what was forgotten leaves the files too, also where a process was killed before that."""

from __future__ import annotations

import logging
import secrets

from sqlalchemy import Connection

from memory_store import records
from memory_store.errors import MemoryStoreError
from memory_store.ledger import Ledger
from memory_store.shared_index import SharedIndex

STATE = "erasing"
"""The ledger's own value that says, by a mark of the last forgetting, that the files hold it."""

_log = logging.getLogger(__name__)


def announce(connection: Connection) -> None:
    """Keep, with what is forgotten in this transaction, that the files are to be rewritten."""
    records.set_state(connection, STATE, secrets.token_hex(4))


def waits(connection: Connection) -> bool:
    """Whether the files still hold what was forgotten."""
    return bool(records.states(connection).get(STATE))


def erase(ledger: Ledger, index: SharedIndex, *, at_once: bool = False) -> bool:
    """Rewrite the files if they hold anything forgotten; whether they now hold none of it.

    What is not possible now stays announced, and is done by the next process that can.

    Args:
        at_once: rewrite the ledger also while another process holds the index.
    """
    try:
        return _erase(ledger, index, at_once=at_once)
    except MemoryStoreError as error:
        _log.warning("what was forgotten is erased later: %s", error)
        return False


def _erase(ledger: Ledger, index: SharedIndex, *, at_once: bool) -> bool:
    with ledger.read() as connection:
        mark = records.states(connection).get(STATE)
    if not mark:
        return True
    owned = index.own()
    if not (owned or at_once) or not ledger.compact() or not owned:
        return False
    with ledger.write() as connection:
        # Unless more was forgotten meanwhile.
        connection.exec_driver_sql(
            "DELETE FROM memory_state WHERE name = ? AND value = ?", (STATE, mark)
        )
    return True
