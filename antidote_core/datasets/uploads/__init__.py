"""Tables from files of one's own: guessed, read within limits, encoded and counted."""

from antidote_core.datasets.uploads.names import clean_text
from antidote_core.datasets.uploads.reading import (
    KINDS,
    USUAL_BLANKS,
    Sample,
    file_kind,
    read_table,
    sample_files,
)
from antidote_core.datasets.uploads.roles import (
    ColumnFacts,
    Roles,
    column_facts,
    facts_table,
    guess_roles,
    preview,
    sizes_table,
)
from antidote_core.datasets.uploads.table import (
    MAX_BYTES,
    Table,
    pack,
    size_words,
    too_little_memory,
    unpack,
)
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
    MOST_SHOWN,
    SMALL_GROUP,
    Choice,
    Encoded,
    Groups,
    can_be_cut,
    count_gaps,
    encode,
    find_groups,
    group_warnings,
    helpful_minimum,
)
from antidote_core.datasets.uploads.workbook import sheet_names
