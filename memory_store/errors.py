"""What can go wrong in the memory store.

MemoryStoreError
├── InvalidInput          the caller's value is wrong; the message says which and what is allowed
├── NotFound              no chunk, subject or file of that name
├── StorageError          the disk, the ledger or the index failed
│   ├── LedgerDamaged     the SQLite file is not readable as a ledger; it is never overwritten
│   ├── IndexUnavailable  Chroma cannot be opened or reached; recall still works from the ledger
│   └── StorageFull       no space left, or the folder cannot be written
├── EmbedderError         the embedder cannot be loaded or failed
├── ImportRefused         an import file is broken; the message names the line, nothing was changed
└── ExtraMissing          an optional package (pandas, matplotlib …) is not installed
"""


class MemoryStoreError(Exception):
    """Base of every error that `memory_store` raises on purpose."""


class InvalidInput(MemoryStoreError, ValueError):
    """The caller's value is wrong; the message names it and says what is allowed."""


class NotFound(MemoryStoreError, LookupError):
    """Nothing of that id, subject or name is stored."""


class StorageError(MemoryStoreError):
    """The disk, the ledger or the index failed."""


class LedgerDamaged(StorageError):
    """The ledger file cannot be read as a ledger. It is left as it is."""


class IndexUnavailable(StorageError):
    """The vector index cannot be opened or reached."""


class StorageFull(StorageError):
    """No space is left, or the folder cannot be written."""


class EmbedderError(MemoryStoreError):
    """The embedder cannot be loaded, or it failed on a text."""


class ImportRefused(MemoryStoreError):
    """An import file is broken. The message names the line; nothing was changed."""


class ExtraMissing(MemoryStoreError, ImportError):
    """A package of the `notebooks` extra is not installed. The message says how to install it."""
