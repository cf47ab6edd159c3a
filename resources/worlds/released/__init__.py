"""Question files as datasets release them, about takes of the other worlds."""

from resources.worlds.released.egocross import write_egocross_testbed
from resources.worlds.released.egoschema import write_egoschema

__all__ = ["write_egocross_testbed", "write_egoschema"]
