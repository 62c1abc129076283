"""Tables from files of one's own: guessed, read within limits, encoded and counted."""

from antidote_core.datasets.uploads.groups import (
    MOST_SHOWN,
    Groups,
    can_be_cut,
    find_groups,
    group_warnings,
    helpful_minimum,
)
from antidote_core.datasets.uploads.limits import MAX_BYTES, size_words, too_little_memory
from antidote_core.datasets.uploads.names import clean_text
from antidote_core.datasets.uploads.reading import KINDS, USUAL_BLANKS, file_kind, read_table
from antidote_core.datasets.uploads.roles import (
    ColumnFacts,
    Roles,
    column_facts,
    facts_table,
    guess_roles,
    preview,
    sizes_table,
)
from antidote_core.datasets.uploads.samples import Sample, sample_files
from antidote_core.datasets.uploads.table import Table, pack, unpack
from antidote_core.datasets.uploads.text_files import (
    DECIMALS,
    ENCODINGS,
    SEPARATORS,
    THOUSANDS,
    TextFormat,
    guess_format,
)
from antidote_core.datasets.uploads.to_dataset import (
    CATEGORIES,
    Choice,
    Encoded,
    count_gaps,
    encode,
)
from antidote_core.datasets.uploads.workbook import sheet_names

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
