"""Tables from files of one's own: guessed, read within limits, encoded and counted."""

from antidote_core.datasets.tables.encoding import CATEGORIES, Choice, Encoded, count_gaps, encode
from antidote_core.datasets.tables.excel import sheet_names
from antidote_core.datasets.tables.groups import (
    MOST_SHOWN,
    Groups,
    can_be_cut,
    find_groups,
    group_warnings,
    helpful_minimum,
)
from antidote_core.datasets.tables.limits import MAX_BYTES, size_words, too_little_memory
from antidote_core.datasets.tables.names import clean_text
from antidote_core.datasets.tables.parcel import pack, unpack
from antidote_core.datasets.tables.preview import facts_table, preview, sizes_table
from antidote_core.datasets.tables.reading import USUAL_BLANKS, Table, read_table
from antidote_core.datasets.tables.roles import ColumnFacts, Roles, column_facts, guess_roles
from antidote_core.datasets.tables.samples import Sample, sample_files
from antidote_core.datasets.tables.sniffing import (
    DECIMALS,
    ENCODINGS,
    KINDS,
    SEPARATORS,
    THOUSANDS,
    TextFormat,
    file_kind,
    guess_format,
)

__all__ = [
    "CATEGORIES",
    "DECIMALS",
    "ENCODINGS",
    "KINDS",
    "MAX_BYTES",
    "MOST_SHOWN",
    "SEPARATORS",
    "THOUSANDS",
    "USUAL_BLANKS",
    "Choice",
    "ColumnFacts",
    "Encoded",
    "Groups",
    "Roles",
    "Sample",
    "Table",
    "TextFormat",
    "can_be_cut",
    "clean_text",
    "column_facts",
    "count_gaps",
    "encode",
    "facts_table",
    "file_kind",
    "find_groups",
    "group_warnings",
    "guess_format",
    "guess_roles",
    "helpful_minimum",
    "pack",
    "preview",
    "read_table",
    "sample_files",
    "sheet_names",
    "size_words",
    "sizes_table",
    "too_little_memory",
    "unpack",
]
