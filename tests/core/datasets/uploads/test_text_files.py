"""CSV and TSV: separator, signs and encoding are guessed; what cannot be read is a sentence."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import TextFormat

from .files import as_csv, people, sentence


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


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1251", "возраст пол город женский мужской Москва Тверь"),
        ("shift_jis", "年齢 性別 都市 女性 男性 東京 大阪府の市"),
        ("gb18030", "年龄 性别 城市 女 男 北京 上海市的区"),
    ],
)
def test_other_alphabets_are_recognised(encoding: str, words: str) -> None:
    age, sex, town, *others = words.split()
    a, b, here, there = others
    lines = [f"{age};{sex};{town}", *[f"34;{a};{here}", f"45;{b};{there}"] * 20]
    content = "\n".join(lines).encode(encoding)
    assert uploads.guess_format("a.csv", content).encoding == encoding
    far = b"x;y;z\n" + b"1;2;3\n" * 200_000 + content
    assert uploads.guess_format("a.csv", far).encoding == encoding
    assert uploads.read_table("a.csv", content).frame[sex].tolist()[:2] == [a, b]


@pytest.mark.parametrize(
    "cell", ["O’Brien", "1 €", "£5", "5 °C", "½", "± 3", "Ñ", "é", "sì", "Hélène", "Müller", "Þór"]
)
def test_accents_and_signs_of_western_tables_are_not_taken_for_another_alphabet(cell: str) -> None:
    for rows in (1, 4, 50):
        content = ("x;g\n" + f"1;{cell}\n2;b\n" * rows).encode("cp1252")
        assert uploads.guess_format("a.csv", content).encoding == "cp1252"


def test_an_encoding_that_fits_the_sample_only_is_not_guessed() -> None:
    start = "возраст;пол\n" + "34;женский\n45;мужской\n" * 2_000
    content = start.encode("cp1251") + b"1;\x98\n"  # no character in cp1251
    assert uploads.guess_format("a.csv", content).encoding in ("cp1252", "cp1250")


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


@pytest.mark.parametrize("content", [b"\n\n \n", b"   ", b"\xef\xbb\xbf"])
def test_nothing_but_blanks(content: bytes) -> None:
    assert "nothing but blanks" in sentence(uploads.read_table, "a.csv", content)


@pytest.mark.parametrize("content", [b"x,g", b"x,g\n", b"x,g\n\n\n"])
def test_no_rows_below_the_names(content: bytes) -> None:
    assert "no rows below it" in sentence(uploads.read_table, "a.csv", content)


def test_a_million_columns() -> None:
    header = ",".join(f"c{i}" for i in range(1_000_000)).encode()
    assert "more than 1,000,000 characters" in sentence(
        uploads.read_table, "a.csv", header + b"\n1"
    )
    some = ",".join(f"c{i}" for i in range(3_000)).encode()
    said = sentence(uploads.read_table, "a.csv", some + b"\n1\n")
    assert "3,000 columns; wanted at most 2,000" in said


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


def test_lines_of_another_length() -> None:
    lines = [b"1,a"] * 400
    few = b"x,g\n" + b"\n".join([*lines, b"a footnote"]) + b"\n"
    table = uploads.read_table("a.csv", few)
    assert len(table.frame) == 400
    assert table.notes[0].startswith("1 of 401 lines left out because they have another number")
    many = b"x,g\n" + b"\n".join([b"1,a", b"1,a,b"] * 50)
    assert "50 of 100 lines" in sentence(uploads.read_table, "a.csv", many, TextFormat(","))
