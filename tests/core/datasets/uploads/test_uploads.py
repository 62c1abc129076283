"""Files of one's own: guesses, limits, refusals, encoding, groups; compared with pandas."""

import gzip
import io
import pickle
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import DataError
from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import (
    Choice,
    TextFormat,
    delimited,
    limits,
    names,
    parquet,
    parquet_sizes,
    workbook,
)
from antidote_core.datasets.uploads.groups import OTHERS


def sentence(function, *arguments, **settings) -> str:
    """The one sentence of the refusal."""
    with pytest.raises(DataError) as caught:
        function(*arguments, **settings)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows).astype(float),
            "job": rng.choice(["clerk", "nurse", "smith"], rows),
            "sex": np.tile(["f", "m"], rows)[:rows],
            "origin": rng.choice(["here", "there"], rows),
        }
    )


def as_csv(frame: pd.DataFrame, separator: str = ",", encoding: str = "utf-8") -> bytes:
    return frame.to_csv(index=False, sep=separator).encode(encoding)


def as_excel(frame: pd.DataFrame, **sheets: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        frame.to_excel(writer, sheet_name="people", index=False)
        for name, other in sheets.items():
            other.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


def as_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


# ---------------------------------------------------------------- guesses


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_separator_and_encoding_are_found(separator: str, encoding: str) -> None:
    frame = people().replace({"nurse": "Krankenpfleger über"})
    content = as_csv(frame, separator, encoding)
    guess = uploads.guess_format("a.csv", content)
    assert guess.separator == separator
    assert guess.encoding == encoding.removesuffix("-sig")
    read = uploads.read_table("a.csv", content).frame
    pd.testing.assert_frame_equal(read, frame, check_dtype=False)


@pytest.mark.parametrize(
    ("cells", "separator", "signs"),
    [
        (["1.5", "2.25"], ",", (".", "")),
        (["1,5", "2,25"], ";", (",", "")),
        (["1.234,5", "2,25"], ";", (",", ".")),
        (["1,234.5", "12"], ";", (".", ",")),
        (["1.234.567", "12"], ";", (",", ".")),
        (["1 234 567", "12,5"], ";", (",", " ")),
        (["1 234", "12.5"], ",", (".", " ")),
        (["1'234.50", "12"], ",", (".", "'")),
        (["1,234", "2,345"], ";", (",", "")),
        (['"1,234"', '"2,345"'], ",", (".", ",")),
        (["2024-01-05", "x1.5y"], ",", (".", "")),
        (["12", "13"], ",", (".", "")),
    ],
)
def test_decimal_and_thousands_signs_are_found(cells, separator, signs) -> None:
    lines = [f"{cell}{separator}f" for cell in cells]
    content = "\n".join([f"x{separator}sex", *lines]).encode()
    guess = uploads.guess_format("a.csv", content)
    assert (guess.decimal, guess.thousands) == signs


@pytest.mark.parametrize("form", [TextFormat(";", ",", "."), TextFormat(",", ".", " ")])
@settings(max_examples=25, deadline=None)
@given(values=st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=20))
def test_numbers_come_back_as_they_were_written(form: TextFormat, values: list[float]) -> None:
    written = []
    for value in values:
        plain = f"{value:,.3f}"
        signs = str.maketrans({",": form.thousands, ".": form.decimal})
        written.append(plain.translate(signs))
    lines = [f"{number}{form.separator}g" for number in written]
    content = "\n".join([f"x{form.separator}g", *lines]).encode()
    read = uploads.read_table("a.csv", content, form).frame["x"]
    assert read.tolist() == [float(f"{value:.3f}") for value in values]


def test_signs_in_the_wrong_places_spell_no_number() -> None:
    content = b"x;g\n1.2.3;a\n12.34,5;b\n"
    frame = uploads.read_table("a.csv", content, TextFormat(";", ",", ".")).frame
    assert frame["x"].tolist() == ["1.2.3", "12.34,5"]


def test_the_first_line_of_a_spreadsheet_may_name_the_separator() -> None:
    frame = uploads.read_table("a.csv", b"sep=;\r\nx;g\r\n1,5;a\r\n2,5;b\r\n").frame
    assert frame["x"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("above", [b"\n", b"\r\n\r\n", b"  \n\n"])
def test_empty_lines_above_the_names_are_passed_over(above: bytes) -> None:
    frame = uploads.read_table("a.csv", above + b"x,g\n1,a\n2,b\n").frame
    assert frame.to_dict("list") == {"x": [1.0, 2.0], "g": ["a", "b"]}


def test_a_first_line_that_can_be_read_in_two_ways_is_a_sentence() -> None:
    said = sentence(uploads.read_table, "a.csv", b"x\r,g\n1,a\n2,b\n", TextFormat(","))
    assert "a.csv" in said


def test_quoted_cells_may_hold_separators_and_line_ends() -> None:
    frame = uploads.read_table("a.csv", b'x,g\n1,"a, b"\n2,"c\nd"\n').frame
    assert frame["g"].tolist() == ["a, b", "c\nd"]


def test_texts_for_no_value_are_gaps() -> None:
    content = b"x,g\n1,a\nNA,b\n-,b\n,a\n?,a\nn.d.,b\n"
    assert uploads.read_table("a.csv", content).frame["x"].isna().tolist() == [
        False, True, True, True, True, False,
    ]  # fmt: skip
    known = uploads.read_table("a.csv", content, blanks=["n.d.", "NA", "-"]).frame["x"]
    assert known.dtype == np.float64
    assert known.isna().sum() == 5


def test_a_column_that_is_nearly_numbers_says_why_it_is_text() -> None:
    content = b"x,g\n" + b"1,a\n2,b\n" * 5 + b"many,a\n"
    [note] = uploads.read_table("a.csv", content).notes
    assert "'x' is read as text because of values such as 'many', though 91% of its" in note


def test_a_wrong_encoding_is_a_sentence() -> None:
    content = "x;g\n1;ü\n2;b\n".encode("cp1252")
    assert "not written in Unicode (UTF-8) (byte 7)" in sentence(
        uploads.read_table, "a.csv", content, TextFormat(";")
    )


@pytest.mark.parametrize(
    "wrong", [{"separator": "x"}, {"encoding": "rot13"}, {"decimal": "·"}, {"thousands": "_"}]
)
def test_formats_are_checked(wrong: dict[str, str]) -> None:
    assert "wanted" in sentence(TextFormat, **wrong)
    assert "both the decimal and the thousands" in sentence(TextFormat, ";", ",", ",")


def test_roles_are_guessed() -> None:
    frame = people().assign(id=range(100, 160), flat=1.0, salary=np.arange(60) * 1.5)
    facts = uploads.column_facts(frame)
    assert {f.name: f.kind for f in facts} == {
        "age": "numbers", "job": "categories", "sex": "categories", "origin": "categories",
        "id": "row number", "flat": "always the same", "salary": "numbers",
    }  # fmt: skip
    assert uploads.guess_roles(facts) == uploads.Roles(("age", "salary"), "sex")
    facts = uploads.column_facts(frame[["job", "origin", "age"]])
    assert uploads.guess_roles(facts).protected == "origin"
    assert uploads.guess_roles(uploads.column_facts(frame[["age"]])).protected == ""


def test_dates_and_free_texts_are_known() -> None:
    frame = people(80).assign(
        born=pd.date_range("1990-01-01", periods=80), words=[f"person {i}" for i in range(80)]
    )
    kinds = {f.name: f.kind for f in uploads.column_facts(frame)}
    assert (kinds["born"], kinds["words"]) == ("dates", "texts")


# ---------------------------------------------------------------- kinds of files


def test_excel_and_parquet_are_read_like_csv() -> None:
    frame = people()
    frame.loc[3, "age"] = np.nan
    wanted = uploads.read_table("a.csv", as_csv(frame)).frame
    for name, content in (("a.xlsx", as_excel(frame)), ("a.parquet", as_parquet(frame))):
        read = uploads.read_table(name, content).frame
        pd.testing.assert_frame_equal(read, wanted, check_dtype=False)


def test_sheets_can_be_chosen() -> None:
    content = as_excel(people(), other=people(8).rename(columns={"age": "years"}))
    assert uploads.sheet_names("a.xlsx", content) == ["people", "other"]
    assert uploads.read_table("a.xlsx", content, sheet="other").frame.columns[0] == "years"
    assert "no sheet 'third'" in sentence(uploads.read_table, "a.xlsx", content, sheet="third")


def test_formulas_of_a_workbook_are_not_computed() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["x", "g"], ["=1+1", "a"], [2, "b"]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    frame = uploads.read_table("a.xlsx", buffer.getvalue()).frame
    assert frame["x"].isna().tolist() == [True, False]


def test_parquet_without_flat_columns_leaves_them_out() -> None:
    frame = people(4).assign(lists=[[1], [2], [3], [4]])
    table = uploads.read_table("a.parquet", as_parquet(frame))
    assert "lists" not in table.frame
    assert any("lists or records: lists" in note for note in table.notes)


# ---------------------------------------------------------------- refusals, each with its sentence


def test_a_file_of_60_megabytes() -> None:
    content = b"x,g\n" + b"1,a\n" * 15_728_640
    assert len(content) > 60 * 1024**2
    said = sentence(uploads.read_table, "big.csv", content)
    assert said == (
        "big.csv has 60 MB; wanted at most 50 MB: take a random sample of its rows, or only the "
        "columns you need."
    )


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.parquet"])
def test_an_empty_file(name: str) -> None:
    assert f"{name} is empty (0 bytes)" in sentence(uploads.read_table, name, b"")


@pytest.mark.parametrize("content", [b"\n\n \n", b"   ", b"\xef\xbb\xbf"])
def test_nothing_but_blanks(content: bytes) -> None:
    assert "nothing but blanks" in sentence(uploads.read_table, "a.csv", content)


@pytest.mark.parametrize("content", [b"x,g", b"x,g\n", b"x,g\n\n\n"])
def test_no_rows_below_the_names(content: bytes) -> None:
    assert "no rows below it" in sentence(uploads.read_table, "a.csv", content)


@pytest.mark.parametrize(
    ("content", "came"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "a PNG picture"),
        (as_parquet(people(4)), "a Parquet file"),
        (as_excel(people(4)), "a ZIP archive or an Excel workbook"),
        (b"%PDF-1.7 whatever", "a PDF document"),
        (gzip.compress(bytes(10_000)), "a gzip archive"),
        (pickle.dumps({"x": [1, 2]}, protocol=4), "a Python pickle"),
        (b"MZ" + bytes(300), "a program"),
        (bytes(range(256)) * 20, "bytes that no text has"),
        (b"x,g\n1,\x00a\n", "bytes that no text has"),
    ],
)
def test_a_binary_file_named_csv(content: bytes, came: str) -> None:
    said = sentence(uploads.read_table, "people.csv", content)
    assert "people.csv is not a text file" in said
    assert came in said


def test_a_table_may_begin_with_the_letters_of_a_program() -> None:
    assert uploads.read_table("a.csv", b"MZ,BZh\n1,a\n2,b\n").frame.columns.tolist() == [
        "MZ",
        "BZh",
    ]


@pytest.mark.parametrize(
    ("name", "content", "came"),
    [
        ("a.xlsx", b"x,g\n1,a\n", "not an Excel workbook"),
        ("a.parquet", b"x,g\n1,a\n", "not a Parquet file"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "save the workbook as .xlsx"),
        ("a.pkl", b"\x80\x04", "ends in .pkl; wanted .csv, .tsv, .txt, .parquet, .xlsx"),
        ("a", b"x,g", "ends in nothing"),
        ("a.parquet", b"PAR1" + bytes(100) + b"PAR1", "cannot be read as a Parquet file"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "damaged or locked workbook"),
    ],
)
def test_other_files(name: str, content: bytes, came: str) -> None:
    assert came in sentence(uploads.read_table, name, content)


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


def test_one_column_only() -> None:
    assert "one column only ('x y')" in sentence(uploads.read_table, "a.csv", b"x y\n1\n2\n")


def test_a_million_columns() -> None:
    header = ",".join(f"c{i}" for i in range(1_000_000)).encode()
    assert "more than 1,000,000 characters" in sentence(
        uploads.read_table, "a.csv", header + b"\n1"
    )
    some = ",".join(f"c{i}" for i in range(3_000)).encode()
    said = sentence(uploads.read_table, "a.csv", some + b"\n1\n")
    assert "3,000 columns; wanted at most 2,000" in said


def test_too_many_columns_of_a_workbook_or_a_parquet_file() -> None:
    wide = pd.DataFrame(np.zeros((1, 5_000)), columns=[f"c{i}" for i in range(5_000)])
    said = sentence(uploads.read_table, "a.parquet", as_parquet(wide))
    assert "5,000 columns; wanted at most 2,000" in said
    said = sentence(uploads.read_table, "a.xlsx", as_excel(wide.iloc[:, :3_000]))
    assert "more than 2,000 columns" in said


def test_a_huge_name_and_a_huge_cell() -> None:
    assert "Column 2 of a.csv has a name of 5,000 characters; wanted at most 200" in sentence(
        uploads.read_table, "a.csv", b"x," + b"g" * 5_000 + b"\n1,2\n"
    )
    said = sentence(uploads.read_table, "a.csv", b"x,g\n1," + b"g" * 20_000 + b"\n")
    assert "'g' of a.csv has 20,000 characters; wanted at most 10,000" in said
    for cell in (b'"' + b"g" * 150_000 + b'"', b'"' + b"g" * 9_000_000):
        said = sentence(uploads.read_table, "a.csv", b"x,g\n1," + cell + b"\n2,b\n" * 3)
        assert said.endswith(
            (
                "wanted at most 10,000: look at the quotation marks, or leave the column out.",
                "look at the quotation marks and the separator.",
            )
        )


def test_too_many_rows_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1,000,001 rows; wanted at most 1,000,000" in sentence(
        uploads.read_table, "a.csv", b"x,g" + b"\n1,a" * 1_000_001
    )
    monkeypatch.setattr(limits, "MAX_TABLE_CELLS", 20)
    assert "60 rows by 4 columns; wanted at most 20 cells" in sentence(
        uploads.read_table, "a.csv", as_csv(people())
    )
    monkeypatch.setattr(workbook, "MAX_SHEET_CELLS", 20)
    assert "more than 20 filled cells" in sentence(uploads.read_table, "a.xlsx", as_excel(people()))


def test_lines_of_another_length() -> None:
    lines = [b"1,a"] * 400
    few = b"x,g\n" + b"\n".join([*lines, b"a footnote"]) + b"\n"
    table = uploads.read_table("a.csv", few)
    assert len(table.frame) == 400
    assert table.notes[0].startswith("1 of 401 lines left out because they have another number")
    many = b"x,g\n" + b"\n".join([b"1,a", b"1,a,b"] * 50)
    assert "50 of 100 lines" in sentence(uploads.read_table, "a.csv", many, TextFormat(","))


def test_a_workbook_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BOOK", 40 * 1024**2)
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


def test_a_parquet_file_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    content = as_parquet(pd.DataFrame({"x": np.arange(100_000.0), "g": ["a", "b"] * 50_000}))
    monkeypatch.setattr(limits, "MAX_UNPACKED", 100_000)
    assert "wanted at most 97.7 kB" in sentence(uploads.read_table, "a.parquet", content)
    monkeypatch.setattr(parquet, "MAX_TEXT", 10)
    monkeypatch.setattr(limits, "MAX_UNPACKED", 10**9)
    long = as_parquet(pd.DataFrame({"x": [1.0, 2.0], "g": ["a" * 11, "b"]}))
    assert "'g' of a.parquet has 11 characters" in sentence(uploads.read_table, "a.parquet", long)


def varint(value: int, length: int = 0) -> bytes:
    """The number as a Parquet footer writes it, in as many bytes as asked for."""
    value, out = 2 * value, bytearray()
    while value > 127 or len(out) + 1 < length:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def lying(content: bytes, told: int, lie: int) -> bytes:
    """The Parquet file with one number in its footer replaced."""
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    true = varint(told)
    assert true in content[footer:]
    return content[:footer] + content[footer:].replace(true, varint(lie, len(true)))


def test_a_parquet_file_that_lies_about_what_it_unpacks_to(monkeypatch) -> None:
    sink = io.BytesIO()
    pd.DataFrame({"x": ["a" * 30_000_000, "b"], "g": ["f", "m"]}).to_parquet(
        sink, compression="gzip", use_dictionary=False, write_statistics=False
    )
    content = sink.getvalue()
    assert len(content) < 100_000
    group = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
    content = lying(content, group.total_byte_size, 1_000)
    content = lying(content, group.column(0).total_uncompressed_size, 1_000)
    assert pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).total_byte_size == 1_000
    monkeypatch.setattr(limits, "MAX_UNPACKED", 20 * 1024**2)
    said = sentence(uploads.read_table, "a.parquet", content)
    assert "a.parquet unpacks to 28.6 MB; wanted at most 20 MB" in said


def test_a_parquet_file_that_lies_about_its_rows(monkeypatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 1_000)
    content = as_parquet(pd.DataFrame({"x": np.arange(4321.0), "g": ["a"] * 4321}))
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    true = varint(4321)
    at = content.index(true, footer)  # the first is that of the file, the others of its parts
    content = content[:at] + varint(4, len(true)) + content[at + len(true) :]
    assert pq.ParquetFile(io.BytesIO(content)).metadata.num_rows == 4
    assert "4,321 rows; wanted at most 1,000" in sentence(uploads.read_table, "a.parquet", content)


def test_texts_that_grow_by_what_they_share_are_refused() -> None:
    sink = io.BytesIO()
    people().to_parquet(
        sink, use_dictionary=False, column_encoding={"job": "DELTA_BYTE_ARRAY"}, engine="pyarrow"
    )
    assert "DELTA_BYTE_ARRAY" in sentence(uploads.read_table, "a.parquet", sink.getvalue())


@pytest.mark.parametrize(
    "written",
    [
        {}, {"data_page_version": "2.0"}, {"row_group_size": 7}, {"compression": "zstd"},
        {"use_dictionary": False}, {"write_page_index": True}, {"data_page_size": 64},
        {"write_page_checksum": True}, {"store_decimal_as_integer": True},
    ],
)  # fmt: skip
def test_pages_add_up_to_what_an_honest_file_says(written) -> None:
    sink = io.BytesIO()
    people(500).to_parquet(sink, **written)
    content = sink.getvalue()
    described = pq.ParquetFile(io.BytesIO(content)).metadata
    said = sum(
        described.row_group(index).total_byte_size for index in range(described.num_row_groups)
    )
    ours = parquet_sizes.description(content)
    assert (ours.rows, ours.unpacked) == (described.num_rows, said)
    groups = [described.row_group(index) for index in range(described.num_row_groups)]
    columns = [group.column(index) for group in groups for index in range(group.num_columns)]
    assert [
        (column[7], column[9], column.get(11)) for column in ours.columns
    ] == [
        (c.total_compressed_size, c.data_page_offset, c.dictionary_page_offset) for c in columns
    ]  # fmt: skip
    found = parquet_sizes.unpacked_bytes("a.parquet", content, ours.columns)
    assert 0 < found < said < found + 200 * 4 * described.num_row_groups + 0.5 * said
    uploads.read_table("a.parquet", content)


@pytest.mark.parametrize(
    "header",
    [b"\x15\x00\x2c\x00\x15\x02\x00", b"\x15\x00\x15\x01\x15\x02\x00", b"\x15\x00\x00",
     b"\x15\x00\x15\x02\x15\x02\x25\x0e\x00", b"\x1c" * 20, b"\x19" + b"\x19" * 20,
     b"\x15" + b"\xff" * 11, b"\x1b\x02", b"\x18\xff\xff\xff\xff\x0f\x00"],
)  # fmt: skip
def test_a_damaged_page_is_a_sentence(header: bytes) -> None:
    content = as_parquet(pd.DataFrame({"x": np.arange(30.0), "g": ["a", "b"] * 15}))
    damaged = content[:4] + header + content[4 + len(header) :]
    said = sentence(uploads.read_table, "a.parquet", damaged)
    assert "a.parquet cannot be read as a Parquet file (" in said


def test_a_description_with_any_byte_changed_is_a_table_or_a_sentence() -> None:
    """pyarrow's own view of it ends the process over some of these, and the tests with it."""
    content = as_parquet(pd.DataFrame({"x": [1.0, 2.0, None], "g": ["a", "b", None]}))
    for place in range(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), len(content)):
        for step in (1, 0x10, 0xFF):
            changed = bytearray(content)
            changed[place] = (changed[place] + step) % 256
            try:
                uploads.read_table("a.parquet", bytes(changed))
            except DataError as error:
                assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right


def test_too_many_pages(monkeypatch) -> None:
    monkeypatch.setattr(parquet_sizes, "MAX_PAGES", 20)
    sink = io.BytesIO()
    people().to_parquet(sink, row_group_size=2)
    assert "more than 20 pages" in sentence(uploads.read_table, "a.parquet", sink.getvalue())


def test_a_parquet_type_of_python_objects_is_not_unpickled(tmp_path) -> None:
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    field = pa.field("x", pa.int64(), metadata={
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": pickle.dumps(Trap()),
    })  # fmt: skip
    schema = pa.schema([field, pa.field("g", pa.string())])
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema) as writer:
        writer.write_table(pa.table({"x": [1, 2], "g": ["a", "b"]}, schema=schema))
    try:
        uploads.read_table("a.parquet", sink.getvalue())
    except DataError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right
    assert list(tmp_path.iterdir()) == []


def test_long_texts_that_are_stored_once_count_as_often_as_they_are_named(monkeypatch) -> None:
    monkeypatch.setattr(limits, "MAX_UNPACKED", 300_000)
    monkeypatch.setattr(limits, "MAX_BOOK", 300_000)
    frame = pd.DataFrame({"x": range(80), "g": ["a" * 9_000, "b"] * 40})
    uploads.read_table("a.parquet", as_parquet(frame[:40]))
    for name, content in (("a.parquet", as_parquet(frame)), ("a.xlsx", as_excel(frame))):
        assert "unpacks to" in sentence(uploads.read_table, name, content)


def test_columns_of_one_name_are_all_looked_at() -> None:
    def table(cell: str) -> bytes:
        arrays = [pa.array(["a", "b"]), pa.array([" c ", cell]), pa.array([1.5, 2.5])]
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, names=["x", "x", "x"]), sink)
        return sink.getvalue()

    frame = uploads.read_table("a.parquet", table("?")).frame
    assert frame.columns.tolist() == ["x", "x (2)", "x (3)"]
    assert frame["x"].tolist() == ["a", "b"]
    assert frame["x (2)"].tolist()[0] == "c"
    assert frame["x (2)"].isna().tolist() == [False, True]
    assert frame["x (3)"].tolist() == [1.5, 2.5]
    said = sentence(uploads.read_table, "a.parquet", table("d" * 11_000))
    assert "'x (2)' of a.parquet has 11,000 characters; wanted at most 10,000" in said


def test_no_name_is_a_tag_for_a_chart() -> None:
    frame = pd.DataFrame({"<b>x</b>": [1.0, 2, 3, 4], "g": ["<a href='//evil'>", "<5"] * 2})
    data = uploads.encode(
        uploads.read_table("a.csv", as_csv(frame)), Choice(("< b>x< /b>",), ("g",)), "my-a", "a"
    ).data
    assert data.group_names == ("< a href='//evil'>", "<5")
    assert data.feature_names == ("< b>x< /b>",)


def test_a_file_is_never_unpickled(tmp_path) -> None:
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    content = pickle.dumps(Trap())
    for name in ("a.csv", "a.parquet", "a.xlsx", "a.tsv"):
        sentence(uploads.read_table, name, content)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=80, deadline=None)
@given(content=st.binary(max_size=300), name=st.sampled_from(["a.csv", "a.xlsx", "a.parquet"]))
def test_any_bytes_give_a_table_or_a_sentence(content: bytes, name: str) -> None:
    for start in (b"", b"PAR1", b"PK\x03\x04", b"x,g\n"):
        said, table = "", None
        try:
            table = uploads.read_table(name, start + content)
        except DataError as error:
            said = str(error)
        if table is None:
            assert said.endswith(".")
        else:
            uploads.preview(table.frame)
            uploads.guess_roles(uploads.column_facts(table.frame))


# ---------------------------------------------------------------- names


def test_invisible_characters_cannot_make_two_names_look_alike() -> None:
    raw = ["age", "a\u200bge", "\u202eega", "ﬁrst", "e\u0301", "é", " ", "a\x07b"]
    cleaned, notes = names.clean_names(raw, "a.csv")
    assert cleaned == ["age", "age (2)", "ega", "ﬁrst", "é", "é (2)", "column 7", "ab"]
    assert len(set(cleaned)) == len(cleaned)
    assert any("Invisible" in note for note in notes)
    assert any("got a number: 'age (2)', 'é (2)'" in note for note in notes)


def test_a_name_that_is_already_numbered_stays_distinct() -> None:
    assert names.clean_names(["a", "a (2)", "a"], "x")[0] == ["a", "a (2)", "a (3)"]


@given(raw=st.lists(st.text(max_size=8), min_size=1, max_size=12))
def test_names_are_always_distinct_and_filled(raw: list[str]) -> None:
    cleaned, _ = names.clean_names(raw, "x")
    assert len(set(cleaned)) == len(raw)
    assert all(name and name == uploads.clean_text(name) for name in cleaned)


TWINS = "look the same but are written with different letters: look which one you mean."


def test_names_that_look_the_same_are_told() -> None:
    content = "age,\u0430ge,ａｇｅ,sex\n1,2,3,f\n4,5,6,m\n".encode()
    table = uploads.read_table("a.csv", content)
    assert table.frame.columns.tolist() == ["age", "\u0430ge", "ａｇｅ", "sex"]
    assert table.notes == (
        "'age' and '\u0430ge' (the second has CYRILLIC SMALL LETTER A), 'age' and 'ａｇｅ' (the "
        f"second has FULLWIDTH LATIN SMALL LETTER A) {TWINS}",
    )
    for pair, said in (
        (["\u0410nn", "Ann"], "the first has CYRILLIC CAPITAL LETTER A"),
        (["TOM", "\u03a4OM"], "the second has GREEK CAPITAL LETTER TAU"),
        (["No\u00ebl", "No\u0451l"], "the second has CYRILLIC SMALL LETTER IO"),
        (["first", "ﬁrst"], "the second has LATIN SMALL LIGATURE FI"),
        (["a\u0430", "\u0430a"], "the second has CYRILLIC SMALL LETTER A"),
    ):
        [note] = names.clean_names(pair, "x")[1]
        assert note == f"{pair[0]!r} and {pair[1]!r} ({said}) {TWINS}"


def test_a_word_of_two_alphabets_is_told() -> None:
    for name, letter in (
        ("\u0430ge in years", "CYRILLIC SMALL LETTER A"),
        ("inc\u03bfme", "GREEK SMALL LETTER OMICRON"),
        ("в\u006fзраст", "LATIN SMALL LETTER O"),
    ):
        [note] = names.clean_names([name, "sex"], "x")[1]
        assert note == (
            "A letter of another alphabet that looks alike stands within a word of "
            f"{name!r} ({letter}): look whether that is what you mean."
        )


@pytest.mark.parametrize(
    "honest",
    [
        ["возраст", "пол", "рост", "доход", "СССР", "А", "В", "С", "IQ тест", "ИНН_id", "Age"],
        ["ηλικία", "φύλο", "ύψος", "ΟΝΟΜΑ", "Α", "Β", "νόμος"],
        ["ΔT", "Δx", "μg", "α", "a", "ρ_air", "x2", "x²", "x₂", "①", "1", "½"],
        ["Straße", "strasse", "Noël", "Noel", "年齢", "عمر", "age", "Age", "AGE"],
    ],
)
def test_honest_names_of_any_alphabet_are_not_remarked_on(honest: list[str]) -> None:
    assert names.clean_names(honest, "x") == (honest, [])
    assert names.confusable_names(honest) == []


def test_of_many_names_that_look_alike_three_are_shown() -> None:
    latin = [f"page {i}" for i in range(1_000)]
    [note] = names.confusable_names([*latin, *(name.replace("p", "\u0440") for name in latin)])
    assert note.count(" and '") == 3
    assert f" and 997 more {TWINS}" in note
    [note] = names.confusable_names([name.replace("p", "\u0440") for name in latin])
    assert note.count("CYRILLIC SMALL LETTER ER") == 3
    assert " and 997 more: look" in note


def test_letters_drawn_as_others_are_paired_by_what_unicode_says_of_them() -> None:
    """Latin on one side, Cyrillic or Greek on the other, capital with capital."""
    import unicodedata

    for sign, latin in names._DRAWN_AS.items():
        there, here = unicodedata.name(chr(sign)), unicodedata.name(chr(latin))
        assert there.startswith(("CYRILLIC", "GREEK"))
        assert here.startswith("LATIN")
        if chr(sign) != "Ь":  # drawn as a small b
            assert chr(sign).isupper() == chr(latin).isupper()


# ---------------------------------------------------------------- groups


def test_groups_and_categories_that_look_the_same_are_told() -> None:
    who = np.tile(["Ann", "\u0410nn", "Bob", "Bob"], 40)
    frame = people(160).assign(who=who)
    said = f"'Ann' and '\u0410nn' (the second has CYRILLIC CAPITAL LETTER A) {TWINS}"
    groups = uploads.find_groups(frame, ["who"])
    assert groups.names == ("Ann", "Bob", "\u0410nn")
    assert uploads.group_warnings(groups) == [said]
    assert uploads.group_warnings(uploads.find_groups(frame[who != "Ann"], ["who"])) == [
        "A letter of another alphabet that looks alike stands within a word of '\u0410nn' "
        "(CYRILLIC CAPITAL LETTER A): look whether that is what you mean."
    ]
    table = uploads.read_table("a.csv", as_csv(frame))
    assert table.notes == ()
    for categories, noted in (("levels", True), ("share", True), ("leave out", False)):
        choice = Choice(("age", "who"), ("sex",), categories=categories)
        notes = uploads.encode(table, choice, "my-a", "a").data.notes
        assert (f"Values of 'who': {said}" in notes) is noted
    russian = people(80).assign(who=np.tile(["мужской", "женский"], 40))
    assert uploads.group_warnings(uploads.find_groups(russian, ["who"])) == []


def test_intersections_are_those_of_pandas() -> None:
    frame = people()
    groups = uploads.find_groups(frame, ["sex", "origin"])
    wanted = frame.groupby(["sex", "origin"]).size()
    assert groups.sizes == {f"{a} × {b}": size for (a, b), size in wanted.items()}


def test_thirty_groups_are_warned_of_and_can_be_joined() -> None:
    towns = [f"t{i % 30:02d}" for i in range(300)] + ["t05"] * 40
    frame = pd.DataFrame({"x": np.arange(340.0) % 17, "town": towns})
    groups = uploads.find_groups(frame, ["town"])
    assert len(groups.names) == 30
    [first, *_] = uploads.group_warnings(groups)
    assert "'town' gives 30 groups; at most 20 can be compared" in first
    table = uploads.Table("a.csv", frame)
    said = sentence(uploads.encode, table, Choice(("x",), ("town",)), "my-a", "a")
    assert "30 different values; wanted at most 20 groups" in said
    below = uploads.helpful_minimum(groups.sizes)
    data = uploads.encode(table, Choice(("x",), ("town",), join_below=below), "my-a", "a").data
    assert data.group_names == ("t05", OTHERS)
    assert data.n == 340


def test_groups_that_would_share_a_name_stay_apart() -> None:
    frame = pd.DataFrame({"town": [OTHERS] * 3 + ["a"] * 3 + ["b"]})
    joined = uploads.find_groups(frame, ["town"], join_below=2)
    assert joined.sizes == {OTHERS: 3, "a": 3, f"{OTHERS} (2)": 1}
    frame = pd.DataFrame({"one": ["p", "p × q"], "two": ["q × r", "r"]})
    crossed = uploads.find_groups(frame, ["one", "two"])
    assert crossed.sizes == {"p × q × r": 1, "p × q × r (2)": 1}
    assert len(crossed.as_column().cat.categories) == 2


def test_one_group_and_no_group() -> None:
    table = uploads.Table("a.csv", people().assign(sex="f"))
    [warning] = uploads.group_warnings(uploads.find_groups(table.frame, ["sex"]))
    assert "one group (f)" in warning
    said = sentence(uploads.encode, table, Choice(("age",), ("sex",)), "my-a", "a")
    assert "one group only (f, 60 rows)" in said
    [warning] = uploads.group_warnings(uploads.find_groups(people().assign(sex=None), ["sex"]))
    assert "No row has a value" in warning


def test_two_rows() -> None:
    table = uploads.read_table("a.csv", b"age,sex\n30,f\n40,m\n")
    groups = uploads.find_groups(table.frame, ["sex"])
    assert "fewer than 2 rows cannot be compared: f (1), m (1)" in uploads.group_warnings(groups)[0]
    assert uploads.helpful_minimum(groups.sizes) == 0
    said = sentence(uploads.encode, table, Choice(("age",), ("sex",)), "my-a", "a")
    assert "groups of fewer than 2 rows: f (1), m (1)" in said


def test_small_and_many_groups_are_warned_of() -> None:
    frame = people(100).assign(town=[f"t{i % 10}" for i in range(100)])
    warnings = uploads.group_warnings(uploads.find_groups(frame, ["town"]))
    assert "10 groups are many" in warnings[0]
    assert "t0 (10), t1 (10), t2 (10), t3 (10), t4 (10) and 5 more" in warnings[1]
    assert uploads.group_warnings(uploads.find_groups(frame, ["sex"])) == []


@pytest.mark.parametrize("ranges", [2, 3, 5])
def test_ranges_hold_about_as_many_rows_each(ranges: int) -> None:
    frame = pd.DataFrame({"age": np.random.default_rng(0).permutation(90).astype(float)})
    frame.loc[3, "age"] = np.nan
    groups = uploads.find_groups(frame, ["age"], ranges=ranges)
    assert len(groups.names) == ranges
    assert max(groups.sizes.values()) - min(groups.sizes.values()) <= 2
    assert groups.unknown == 1
    for name, code in zip(groups.names, range(ranges), strict=True):
        inside = frame["age"][groups.codes == code]
        bounds = [float(word) for word in name.split() if word.isdigit()]
        assert inside.max() <= bounds[-1] or name.startswith("over")
        assert inside.min() > bounds[0] or name.startswith("up to")


def test_a_column_of_the_same_number_has_one_range() -> None:
    frame = pd.DataFrame({"x": [1.0] * 90 + list(range(9))})
    assert uploads.find_groups(frame, ["x"], ranges=2).sizes == {"up to 1": 92, "over 1": 7}


# ---------------------------------------------------------------- encoding


def test_gaps_are_counted_as_they_are_treated() -> None:
    frame = people()
    frame.loc[[0, 1], "age"] = np.nan
    frame.loc[[1, 2], "job"] = None
    frame.loc[5, "sex"] = None
    table = uploads.Table("a.csv", frame)
    gaps = uploads.count_gaps(frame, ["age", "job"], ["sex"])
    assert (gaps.dropped, gaps.without_group, gaps.filled) == (4, 1, 4)
    for missing in ("drop", "impute"):
        encoded = uploads.encode(table, Choice(("age", "job"), ("sex",), missing), "my-a", "a")
        assert encoded.dropped == (4 if missing == "drop" else 1)
        assert encoded.filled == (0 if missing == "drop" else 4)
        assert encoded.data.n == 60 - encoded.dropped
        assert encoded.data.source == f"your own table a.csv, {encoded.data.n} of 60 rows"


def test_categories_can_become_levels_shares_or_nothing() -> None:
    table = uploads.Table("a.csv", people())
    features = ("age", "job")

    def encoded(how, **more):
        return uploads.encode(
            table, Choice(features, ("sex",), categories=how, **more), "a", "a"
        ).data

    assert encoded("levels").feature_names == ("age", "job = clerk", "job = nurse", "job = smith")
    share = encoded("share")
    assert share.feature_names == ("age", "job (share)")
    wanted = people()["job"].map(people()["job"].value_counts(normalize=True))
    np.testing.assert_allclose(share.to_original(share.points)["job (share)"], wanted)
    nothing = encoded("leave out")
    assert nothing.feature_names == ("age",)
    assert "Left out because they hold categories: job." in nothing.notes
    assert len(encoded("levels", categorical=("age",)).feature_names) > 10
    said = sentence(
        uploads.encode, table, Choice(("job",), ("sex",), categories="leave out"), "a", "a"
    )
    assert "All chosen features hold categories (job)" in said


def test_a_column_of_text_as_feature() -> None:
    frame = people(120).assign(words=[f"person {i}" for i in range(120)])
    table = uploads.Table("a.csv", frame)
    said = sentence(uploads.encode, table, Choice(("words",), ("sex",)), "a", "a")
    assert "'words' has 120 different texts ('person 0', 'person 1', 'person 10', …)" in said
    said = sentence(
        uploads.encode, table, Choice(("words",), ("sex",), categories="share"), "a", "a"
    )
    assert "'words (share)' has the same value" in said


def test_a_feature_cannot_be_protected_too() -> None:
    table = uploads.Table("a.csv", people())
    said = sentence(uploads.encode, table, Choice(("age", "sex"), ("sex",)), "a", "a")
    assert "'sex' is both a feature and the protected attribute" in said


def test_too_many_numbers_for_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from antidote_core.datasets.uploads import encoding

    monkeypatch.setattr(encoding, "MAX_NUMBERS", 100)
    table = uploads.Table("a.csv", people())
    said = sentence(uploads.encode, table, Choice(("age", "job"), ("sex",)), "a", "a")
    assert "60 rows by 4 features once encoded; wanted at most 100 numbers" in said


def test_texts_are_cleaned_before_they_become_levels() -> None:
    frame = people().replace({"clerk": "cle\u200brk", "here": "![x](http://a.example)"})
    data = uploads.encode(
        uploads.Table("a.csv", frame), Choice(("age", "job"), ("origin",)), "a", "a"
    ).data
    assert "job = clerk" in data.feature_names
    assert data.group_names[0] == "![x] (http://a.example)"


def test_every_sample_is_read_by_guessing() -> None:
    for sample in uploads.sample_files():
        table = uploads.read_table(sample.name, sample.content)
        assert not table.notes
        roles = uploads.guess_roles(uploads.column_facts(table.frame))
        assert len(roles.features) == 3
        encoded = uploads.encode(table, Choice(roles.features, (roles.protected,)), "a", "a")
        assert encoded.data.n > 250
    german = uploads.sample_files()[1]
    assert uploads.guess_format(german.name, german.content) == TextFormat(";", ",", ".", "cp1252")
    frame = uploads.read_table(german.name, german.content).frame
    with_pandas = pd.read_csv(
        io.BytesIO(german.content), sep=";", decimal=",", thousands=".", encoding="cp1252"
    )
    pd.testing.assert_frame_equal(frame, with_pandas, check_dtype=False)


def test_the_limit_of_the_server_is_the_one_of_the_library() -> None:
    import tomllib
    from pathlib import Path

    config = Path(__file__).parents[4] / ".streamlit" / "config.toml"
    stated = tomllib.loads(config.read_text(encoding="utf-8"))["server"]["maxUploadSize"]
    assert stated * 1024**2 == uploads.MAX_BYTES
    assert delimited.ODD_LINES < 0.05
