"""The text of a configuration file: its TOML, checked tables, and errors that say where they are."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resources.config_keys import (
    ConfigError,
    DeclaredKey,
    table_faults,
    toml_value,
)
from resources.errors import suggestion
from resources.texts import printable

DEFAULT_FILE = "parallax.toml"
# Names become parts of paths and of keys that are cut at dots.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_AT = re.compile(r"(?P<why>.*?) \(at (?P<place>line \d+, column \d+|end of document)\)", re.DOTALL)


def config_path() -> Path:
    """The configuration file.

    `PARALLAX_CONFIG` names it; else it is `parallax.toml` in the working folder, else the one beside the
    project.
    """
    named = os.environ.get("PARALLAX_CONFIG")
    if named:
        return Path(named)
    here = Path(DEFAULT_FILE)
    return here if here.is_file() else Path(__file__).resolve().parents[1] / DEFAULT_FILE


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file that is valid TOML.

    Attributes:
        path: The file.
        text: Its text.
        content: The parsed document.
    """

    path: Path
    text: str
    content: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> ConfigFile:
        """Read a file.

        Raises:
            ConfigError: It is absent, cannot be read, is not UTF-8, or is not TOML.
        """
        try:
            text = path.read_bytes().decode("utf-8")
            return cls(path, text, tomllib.loads(text.replace("\r\n", "\n")))
        except FileNotFoundError:
            raise ConfigError(
                f"no configuration at {path}: write one with `parallax init`, or set"
                " PARALLAX_CONFIG to the path of yours"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"{path}: the configuration cannot be read ({error.strerror}); make it a file that"
                " you may read"
            ) from None
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8"
            ) from None
        except tomllib.TOMLDecodeError as error:
            at = _AT.fullmatch(str(error))
            why, place = (at["why"], at["place"]) if at else (str(error), "an unknown place")
            raise ConfigError(
                f"{path}: {place} is not valid TOML ({printable(why)}); correct it (texts stand in"
                " quotes, every key stands once)"
            ) from None

    def error(self, where: Collection[str], rule: str, remedy: str) -> ConfigError:
        """An error about one key or table.

        Args:
            where: Names of tables and key from the top of the file (`("runs", "r", "limit")`).
            rule: The value, where it may be shown, and the rule it breaks.
            remedy: What to write.
        """
        line = self._line(tuple(where))
        place = f"{self.path}:{line}" if line else str(self.path)
        return ConfigError(f"{place}: {printable('.'.join(where))} {rule}; {remedy}")

    def check(
        self,
        where: Collection[str],
        keys: Collection[DeclaredKey],
        table: Mapping[str, Any],
        tables: Collection[str] = (),
    ) -> None:
        """Check a table against the declarations of its keys.

        Args:
            where: Names of the tables that lead to it.
            keys: Its keys.
            table: Its values.
            tables: Names of tables that may stand in it too; near misses name them.

        Raises:
            ConfigError: A key is unknown, missing or has a value that is not valid.
        """
        for fault in table_faults(keys, table):
            remedy = fault.remedy
            if tables and fault.name not in {key.name for key in keys}:
                remedy = suggestion(fault.name, [*(key.name for key in keys), *tables])
            raise self.error((*where, fault.name), fault.rule, remedy)

    def table(self, name: str, keys: Collection[DeclaredKey]) -> dict[str, Any]:
        """A checked table at the top of the file; empty where there is none.

        Raises:
            ConfigError: See `check`.
        """
        table = self._as_table((name,), self.content.get(name, {}), f"[{name}]")
        self.check((name,), keys, table)
        return table

    def tables(self, kind: str, keys: Collection[DeclaredKey]) -> dict[str, dict[str, Any]]:
        """Checked tables of one kind by name, as `[kind.name]` holds them.

        Raises:
            ConfigError: A name is not valid, or see `check`.
        """
        named = self._as_table((kind,), self.content.get(kind, {}), f"[{kind}.<name>]")
        checked: dict[str, dict[str, Any]] = {}
        for name, value in named.items():
            where = (kind, name)
            if not _NAME.fullmatch(name):
                raise self.error(
                    where,
                    "is not a valid name",
                    "use letters, digits, `-` and `_`, and begin with a letter or digit",
                )
            checked[name] = self._as_table(where, value, f"[{kind}.{name}]")
            self.check(where, keys, checked[name])
        return checked

    def _as_table(self, where: tuple[str, ...], value: Any, header: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        raise self.error(
            where, f"= {toml_value(value)} is not a table", f"write its keys below `{header}`"
        )

    def _line(self, where: tuple[str, ...]) -> int | None:
        """Line of a key, else of its table; None where the text writes them in another way."""
        lines = self.text.splitlines()
        headers = [
            (number, [part.strip().strip("\"'") for part in header[1].split(".")])
            for number, line in enumerate(lines, 1)
            if (header := _HEADER.fullmatch(line))
        ]
        starts = {tuple(parts): number for number, parts in headers}
        if where in starts:
            return starts[where]
        *table, key = where
        first = starts.get(tuple(table), None if table else 0)
        if first is None:
            return None
        last = next((number for number, _ in headers if number > first), len(lines) + 1)
        name = re.escape(key)
        pattern = re.compile(rf"""\s*["']?{name}["']?\s*=""")
        for number in range(first + 1, last):
            if pattern.match(lines[number - 1]):
                return number
        return first or None
