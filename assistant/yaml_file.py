"""Reads YAML files that people wrote: by the safe loader, without aliases, up to a size."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from assistant.errors import UserError
from assistant.messages import Json
from assistant.phrases import Phrase, phrase


def read_yaml(path: Path, kind: Phrase, largest: int) -> Json:
    """Return what a YAML file says.

    Args:
        kind: what it is to the user, such as a suite.
        largest: the most bytes it may have.

    Raises:
        UserError: the file is too large, no readable YAML or no mapping; the message names it.
    """
    import yaml

    size = path.stat().st_size
    if size > largest:
        values = {"path": path, "size": size, "kind": kind, "largest": largest}
        raise UserError(phrase("file.too_large", **values))
    try:
        content: Json = yaml.load(
            path.read_text(encoding="utf-8"), Loader=_no_alias_loader(str(kind))
        )
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(phrase("file.not_yaml", path=path, problem=error)) from None
    if not isinstance(content, dict):
        raise UserError(phrase("file.no_mapping", path=path, kind=kind))
    return cast("Json", content)


def _no_alias_loader(kind: str) -> type:
    """The safe loader without aliases, whose expansion could fill the memory."""
    import yaml

    class NoAliases(yaml.SafeLoader):
        def compose_node(self, parent: object, index: object) -> object:  # pyright: ignore
            if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
                raise yaml.YAMLError(f"aliases (*name) are not allowed in a {kind}")
            return super().compose_node(parent, index)  # pyright: ignore

    return NoAliases
