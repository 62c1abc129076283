"""What a Parquet file says of its sizes: in the description at its end, and in its pages.

Nobody unpacks by the description: a small file may name a few bytes there and gigabytes in its
pages. So the header of every page is read, as the reader itself will read it (Thrift's compact
protocol). The description is read here as well, because pyarrow's own view of it ends the whole
process over some damaged files ("Definition level histogram size mismatch").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from antidote_core.datasets.uploads.limits import MAX_PAGES
from antidote_core.errors import DataError

_DATA_PAGE, _DATA_PAGE_2 = 5, 8  # fields of a page header: what its kind of page has besides
_ENCODING = {_DATA_PAGE: 2, _DATA_PAGE_2: 4}
_FRONT_CODED = 7  # DELTA_BYTE_ARRAY: texts by what they share with the one before
# Fields of the description: of a file and its row groups, of a group and its columns.
_ROWS, _GROUPS, _CHUNKS, _UNPACKED, _CHUNK = 3, 4, 1, 2, 3
_PACKED, _DATA_AT, _DICTIONARY_AT = 7, 9, 11
_BOOLEANS, _WHOLE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), (4, 5, 6), 7, 8, (9, 10), 12
_DEEPEST = 12


@dataclass(frozen=True)
class Description:
    """Rows and bytes as stated at the end of a file, and its columns: records by field."""

    rows: int
    unpacked: int
    columns: list[dict[int, Any]]


def description(content: bytes) -> Description:
    """What the end of the file says; ValueError, KeyError or the like where it says nothing."""
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    if start < 0:
        raise ValueError("a description longer than the file")
    file, _ = _struct(content, start)
    groups = file.get(_GROUPS, [])
    return Description(
        rows=max(file[_ROWS], sum(group[_ROWS] for group in groups)),
        unpacked=sum(group[_UNPACKED] for group in groups),
        columns=[chunk[_CHUNK] for group in groups for chunk in group.get(_CHUNKS, [])],
    )


def unpacked_bytes(name: str, content: bytes, columns: Iterable[dict[int, Any]]) -> int:
    """The sum over all pages of all columns; ValueError or IndexError for what is no page.

    A column may be named often and stored once: it counts as often as it is named, since it is
    unpacked as often.
    """
    total = pages = 0
    for column in columns:
        at = column[_DATA_AT]
        if 0 < column.get(_DICTIONARY_AT, 0) < at:
            at = column[_DICTIONARY_AT]
        end = min(at + column[_PACKED], len(content))
        while at < end:
            header, at = _struct(content, at)
            size, packed = header[2], header[3]
            if not (isinstance(size, int) and isinstance(packed, int) and min(size, packed) >= 0):
                raise ValueError("a page without a size")
            _check_encoding(name, header)
            at, total, pages = at + packed, total + size, pages + 1
            if pages > MAX_PAGES:
                raise DataError(
                    f"{name} has more than {MAX_PAGES:,} pages; save the table again, in fewer row "
                    "groups."
                )
    return total


def _check_encoding(name: str, header: dict[int, Any]) -> None:
    for field, place in _ENCODING.items():
        page = header.get(field)
        if isinstance(page, dict) and page.get(place) == _FRONT_CODED:
            raise DataError(
                f"{name} stores texts by what they share with the one before (DELTA_BYTE_ARRAY), "
                "so that nobody knows how large they are; save it with the usual encodings."
            )


def _struct(content: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Whole numbers, records and lists of records of a record, by field, and where it ends."""
    if depth > _DEEPEST:
        raise ValueError("records within records")
    values: dict[int, Any] = {}
    field = 0
    while kind := content[at]:
        at += 1
        step, kind = kind >> 4, kind & 15
        if step:
            field += step
        else:
            field, at = _whole(content, at)
        if kind in _WHOLE:
            values[field], at = _whole(content, at)
        elif kind == _STRUCT:
            values[field], at = _struct(content, at, depth + 1)
        elif kind in _LISTS:
            values[field], at = _list(content, at, depth)
        elif kind not in _BOOLEANS:  # those are in the kind itself
            at = _skip(content, at, kind, depth)
    return values, at + 1


def _skip(content: bytes, at: int, kind: int, depth: int) -> int:
    if kind == _BINARY:
        length, at = _varint(content, at)
        return at + length
    if kind == _DOUBLE:
        return at + 8
    if kind in _LISTS:
        return _list(content, at, depth)[1]
    if kind == _STRUCT:
        return _struct(content, at, depth + 1)[1]
    if kind in _WHOLE:
        return _varint(content, at)[1]
    if kind in (*_BOOLEANS, 3):
        return at + 1
    raise ValueError("a map or something unknown among the records of the file")


def _list(content: bytes, at: int, depth: int) -> tuple[list[dict[int, Any]], int]:
    """The records in a list, anything else in it passed over, and where it ends."""
    if depth > _DEEPEST:
        raise ValueError("lists within lists")
    count, kind = content[at] >> 4, content[at] & 15
    at += 1
    if count == 15:
        count, at = _varint(content, at)
    records = []
    for _ in range(count):
        if kind == _STRUCT:
            record, at = _struct(content, at, depth + 1)
            records.append(record)
        else:
            at = _skip(content, at, kind, depth + 1)
        if at > len(content):
            raise ValueError("a list that does not end")
    return records, at


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _whole(content: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(content, at)
    return (value >> 1) ^ -(value & 1), at
