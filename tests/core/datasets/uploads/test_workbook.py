"""Workbooks: sheets, cells as last saved, and archives made to exhaust their reader."""

import datetime
import io
import re
import zipfile

import openpyxl
import pytest

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import table

from .files import as_excel, people, sentence


def test_sheets_can_be_chosen() -> None:
    content = as_excel(people(), other=people(8).rename(columns={"age": "years"}))
    assert uploads.sheet_names("a.xlsx", content) == ["people", "other"]
    assert uploads.read_table("a.xlsx", content, sheet="other").frame.columns[0] == "years"
    assert "no sheet 'third'" in sentence(uploads.read_table, "a.xlsx", content, sheet="third")


def test_formulas_of_a_workbook_are_not_computed() -> None:
    book = openpyxl.Workbook()
    for row in (["x", "g"], ["=1+1", "a"], [2, "b"]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    frame = uploads.read_table("a.xlsx", buffer.getvalue()).frame
    assert frame["x"].isna().tolist() == [True, False]


def test_a_plain_archive_is_no_workbook() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("people.csv", "x,g")
    assert "unpack it" in sentence(uploads.read_table, "a.xlsx", buffer.getvalue())


def test_a_workbook_without_sheets_or_with_a_broken_directory() -> None:
    whole = zipfile.ZipFile(io.BytesIO(as_excel(people(4))))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for part in whole.namelist():
            if not part.startswith("xl/worksheets/"):
                archive.writestr(part, whole.read(part))
    assert "without any sheet" in sentence(uploads.sheet_names, "a.xlsx", buffer.getvalue())
    assert "without any sheet" in sentence(uploads.read_table, "a.xlsx", buffer.getvalue())
    content = bytearray(as_excel(people(4)))
    end = content.rindex(b"PK\x05\x06")
    content[end + 16 : end + 20] = (2**31).to_bytes(4, "little")  # where the directory begins
    assert "damaged or locked workbook" in sentence(uploads.read_table, "a.xlsx", bytes(content))


def test_a_workbook_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_BOOK", 40 * 1024**2)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as part:
            for _ in range(41):
                part.write(bytes(1 << 20))
    assert len(bomb.getvalue()) < 100_000
    said = sentence(uploads.read_table, "a.xlsx", bomb.getvalue())
    assert "a.xlsx unpacks to 41 MB; wanted at most 40 MB" in said


def test_a_workbook_that_lies_about_its_size_is_not_unpacked_further() -> None:
    honest = io.BytesIO()
    with zipfile.ZipFile(honest, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * 5_000_000)
    lying = honest.getvalue().replace((5_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert "damaged or locked workbook" in sentence(uploads.read_table, "a.xlsx", lying)


def test_a_workbook_with_entities_of_its_own() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    for text_of_part in (laughs.encode(), laughs.encode("utf-16")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("xl/workbook.xml", text_of_part)
        said = sentence(uploads.read_table, "a.xlsx", buffer.getvalue())
        assert "declares entities of its own" in said


def book_of(*rows: list) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def with_part(content: bytes, part: str, change) -> bytes:
    """The workbook with the text of one part changed."""
    whole, buffer = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in whole.namelist():
            text = whole.read(name)
            archive.writestr(name, change(text) if name == part else text)
    return buffer.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize("alone", [True, False])
def test_a_cell_at_the_end_of_a_sheet_is_a_sentence_at_once(alone: bool) -> None:
    book = openpyxl.Workbook()
    if not alone:
        book.active.append(["x", "g"])
    book.active["XFD1048576"] = 1
    content = saved(book)
    said = sentence(uploads.read_table, "a.xlsx", content)
    assert said == (
        "A sheet of a.xlsx reaches to row 1,048,576 and column 16,384; wanted at most 50,000,000 "
        "cells in all: delete what stands far from the table, or save the table alone."
    )


def test_cells_without_a_place_count_on_from_the_one_before() -> None:
    def without_places(text: bytes) -> bytes:
        return re.sub(rb' r="[A-Z]+\d+"', b"", text)

    content = with_part(book_of(["x", "g"], [1, "a"], [2, "b"]), SHEET, without_places)
    assert uploads.read_table("a.xlsx", content).frame["g"].tolist() == ["a", "b"]
    wide = with_part(book_of([1] * 1_999, [1]), SHEET, without_places)
    far = with_part(wide, SHEET, lambda text: text.replace(b'<row r="2"', b'<row r="1048576"'))
    assert "row 1,048,576 and column 1,999" in sentence(uploads.read_table, "a.xlsx", far)


def test_an_empty_cell_far_away_is_no_part_of_the_table() -> None:
    book = openpyxl.Workbook()
    for row in (["x", "g"], [1, "a"], [2, "b"]):
        book.active.append(row)
    book.active["XFD1048576"].font = openpyxl.styles.Font(bold=True)
    assert uploads.read_table("a.xlsx", saved(book)).frame.shape == (2, 2)


def test_cells_of_every_kind() -> None:
    noon, day = datetime.datetime(2020, 1, 2, 12), datetime.date(2021, 3, 4)
    content = book_of(
        [None, 2020, "when", "yes", "mixed", "text", "time"],
        [None, 1, noon, True, 5, " a ", datetime.time(3, 4)],
        [None, 2.5, day, False, "five", "b", datetime.time(5)],
    )
    table = uploads.read_table("a.xlsx", content)
    assert table.frame.columns.tolist()[:3] == ["column 1", "2020", "when"]
    assert table.frame["2020"].tolist() == [1.0, 2.5]
    assert table.frame["when"].tolist() == [noon, datetime.datetime(2021, 3, 4)]
    assert table.frame["yes"].tolist() == [True, False]
    assert [repr(cell) for cell in table.frame["mixed"]] == ["5", "'five'"]
    assert table.frame["text"].tolist() == ["a", "b"]
    assert table.frame["time"].tolist() == [datetime.time(3, 4), datetime.time(5)]


def test_the_value_saved_with_a_formula_is_read() -> None:
    content = with_part(
        book_of(["x", "g"], ["=1+1", "a"], [2, "b"]), SHEET,
        lambda text: re.sub(rb"<v ?/>|<v></v>", b"<v>7</v>", text, count=1),
    )  # fmt: skip
    assert uploads.read_table("a.xlsx", content).frame["x"].tolist() == [7.0, 2.0]


def test_errors_count_as_empty_and_are_told() -> None:
    content = book_of(["x", "g"], [1, "a"], ["#DIV/0!", "b"], ["#N/A", "c"])
    table = uploads.read_table("a.xlsx", content, blanks=())
    assert table.frame["x"].isna().tolist() == [False, True, True]
    assert table.notes == (
        "2 cells of the workbook hold an error such as #N/A or #DIV/0!; they count as empty.",
    )


def test_hidden_sheets_are_offered_and_charts_are_refused() -> None:
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])
    hidden = book.create_sheet("hidden")
    hidden.sheet_state = "hidden"
    for row in (["x", "g"], [1, "a"]):
        hidden.append(row)
    book.create_chartsheet("chart").add_chart(openpyxl.chart.BarChart())
    content = saved(book)
    assert uploads.sheet_names("a.xlsx", content) == ["Sheet", "hidden", "chart"]
    assert uploads.read_table("a.xlsx", content, sheet="hidden").frame["g"].tolist() == ["a"]
    assert "is a chart" in sentence(uploads.read_table, "a.xlsx", content, sheet="chart")


def test_more_sheets_than_files_in_a_workbook() -> None:
    def many(text: bytes) -> bytes:
        [sheet] = re.findall(rb"<sheet .*?/>", text)
        return text.replace(sheet, sheet * 1_001)

    content = with_part(book_of(["x", "g"]), "xl/workbook.xml", many)
    assert "names 1,001 sheets" in sentence(uploads.sheet_names, "a.xlsx", content)


def test_a_long_text_that_many_cells_name_is_refused_before_it_is_written_out() -> None:
    row = b"<row>" + b'<c t="s"><v>0</v></c>' * 100 + b"</row>"
    sheet = with_part(book_of(["x"]), SHEET, lambda text: re.sub(rb"<row.*</row>", row * 300, text))
    buffer = io.BytesIO(sheet)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst><si><t>{'a' * 9_000}</t></si></sst>")
    content = buffer.getvalue()
    assert len(content) < 10_000
    assert "unpacks to 200 MB" in sentence(uploads.sheet_names, "a.xlsx", content)
