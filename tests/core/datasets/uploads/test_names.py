"""Names made safe to show, and names that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import names

TWINS = "look the same but are written with different letters: look which one you mean."


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
