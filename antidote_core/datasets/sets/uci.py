"""The UCI sets that are bundled: Adult, Bank Marketing and Default of Credit Card Clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from antidote_core.datasets.bundled import BUNDLED
from antidote_core.datasets.sets import DatasetInfo, Form, Request
from antidote_core.errors import DataError
from antidote_core.types import Column, DataCard, Dataset, Floats, Ints

PAPER_ROWS = 10_000  # of Adult
STANDARDISED = "Every feature is standardised: mean 0 and population standard deviation 1."
BOTH = "{} is both the protected attribute and a feature, as in the paper."


def read_bundled(name: str) -> pd.DataFrame:
    """The bundled columns of `name` in the original units and row order."""
    path = BUNDLED / f"{name}.parquet"
    try:
        return pd.read_parquet(path)
    except OSError as error:
        raise DataError(
            f"The bundled file {path.name} cannot be read ({type(error).__name__}); "
            "install the package again."
        ) from None


def standardise(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Points, shift and scale of `values` (n, d): z-scores with the population deviation.

    >>> points, shift, scale = standardise(np.array([[1.0], [3.0]]))
    >>> points.ravel().tolist(), shift.tolist(), scale.tolist()
    ([-1.0, 1.0], [2.0], [1.0])
    """
    values = np.ascontiguousarray(values)  # one memory order, one order of summation
    shift, scale = values.mean(axis=0), values.std(axis=0)
    return (values - shift) / scale, shift, scale


def codes_of(values: pd.Series, names: Sequence[str]) -> Ints:
    """The position in `names` of every value, (n,)."""
    return pd.Index(names).get_indexer(pd.Index(values.astype(str))).astype(np.int64)


@dataclass(frozen=True)
class UciSet:
    """One bundled set; `origin` is its name at UCI, `remarks` are notes by protected attribute.

    `protected` has, by attribute, the name on the screen of every value in the file, in the order
    of the groups.
    """

    name: str
    title: str
    description: str
    origin: str
    features: tuple[str, ...]
    protected: Mapping[str, Mapping[object, str]]
    forms: tuple[Form, ...]
    card: DataCard
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    where: ClassVar[str] = "bundled copy"

    def read(self) -> pd.DataFrame:
        """The columns that are used, in the original units and row order."""
        return read_bundled(self.name)

    def load(self, request: Request) -> Dataset:
        """The asked rows, standardised on those rows."""
        frame = self.read()
        which = f"all {len(frame):,} rows"
        if request.rows == "paper":
            frame, which = frame.head(PAPER_ROWS), f"first {PAPER_ROWS:,} rows"
        points, shift, scale = standardise(frame[list(self.features)].to_numpy(dtype=np.float64))
        meaning = self.protected[request.protected]
        names = tuple(dict.fromkeys(meaning.values()))
        return Dataset(
            name=self.name,
            points=points,
            groups=codes_of(frame[request.protected].map(meaning), names),
            group_names=names,
            feature_names=self.features,
            protected=request.protected,
            source=f"{self.origin}, {self.where}, {which}",
            shift=shift,
            scale=scale,
            columns=tuple(Column(name) for name in self.features),
            title=self.title,
            notes=(STANDARDISED, *self.remarks.get(request.protected, ())),
            card=self.card,
        )

    @property
    def info(self) -> DatasetInfo:
        """Its entry in the registry."""
        return DatasetInfo(
            self.name, self.title, self.description, "real", tuple(self.protected), self.load,
            lambda: self.forms,
        )  # fmt: skip


def _as_written(*names: str) -> dict[object, str]:
    return {name: name for name in names}


ADULT_CARD = DataCard(
    what="Adults in the census of the United States of 1994: age, census weight (fnlwgt), years of "
    "education, capital gain and hours worked per week.",
    who="Extracted from the Current Population Survey by Barry Becker and Ronny Kohavi, 1996.",
    licence="CC BY 4.0",
    rows="32,561 rows (the training file). The default is the first 10,000; which 10,000 rows the "
    "paper used is not known.",
    groups="All rows: race White 27,816, Black 3,124, Asian-Pac-Islander 1,039, "
    "Amer-Indian-Eskimo 311, Other 271; sex Male 21,790, Female 10,771. First 10,000 rows: 8,556, "
    "953, 309, 99 and 83; 6,703 and 3,297.",
    harms="Race is five census boxes of 1994: 'Other' and 'Asian-Pac-Islander' lump together "
    "people with little in common, and sex is recorded as two values. The two smallest races are "
    "under 1% of the rows, so one rare cluster decides the balance cost. fnlwgt says how many "
    "people a row stands for and is not a trait of the person; it is a feature only because the "
    "paper uses it. Capital gain is zero for nine rows in ten and capped at 99,999, so k-means "
    "tends to split off a handful of rich, mostly white people. Thirty years old: nothing here "
    "describes people of today.",
    url="https://archive.ics.uci.edu/dataset/2/adult",
)
ADULT = UciSet(
    name="adult",
    title="Adult (census income)",
    description="Census records of 1994 by race or sex: age, education, capital gain, hours.",
    origin="UCI Adult",
    features=("age", "fnlwgt", "education-num", "capital-gain", "hours-per-week"),
    protected={
        "race": _as_written("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"),
        "sex": _as_written("Female", "Male"),
    },
    forms=(
        Form("paper", "the first 10,000 rows, as close to the paper's as is known"),
        Form("all", "all 32,561 rows"),
    ),
    card=ADULT_CARD,
)

BANK_CARD = DataCard(
    what="Clients a Portuguese bank telephoned between 2008 and 2010 to sell term deposits: age, "
    "yearly average balance in euros and length of the last call in seconds.",
    who="Sérgio Moro, Paulo Rita and Paulo Cortez, 2014 (bank-full.csv).",
    licence="CC BY 4.0",
    rows="45,211 rows, all used.",
    groups="marital: married 27,214, single 12,790, divorced 5,207 (divorced includes widowed). "
    "default: no credit in default 44,396, credit in default 815.",
    harms="Marital status follows age closely, so making clusters equal in marital status mixes "
    "ages. 'Divorced' puts widowed people in the same box. Credit in default is 1.8% of the rows: "
    "its balance rests on few people. Call duration is known only after the call and describes the "
    "salesperson as much as the client. One bank in one country during a financial crisis: do not "
    "carry conclusions elsewhere.",
    url="https://archive.ics.uci.edu/dataset/222/bank+marketing",
)
BANK = UciSet(
    name="bank",
    title="Bank marketing",
    description="Clients of a Portuguese bank by marital status or credit in default: age, "
    "balance, length of call.",
    origin="UCI Bank Marketing",
    features=("age", "balance", "duration"),
    protected={
        "marital": _as_written("divorced", "married", "single"),
        "default": {"no": "no credit in default", "yes": "credit in default"},
    },
    forms=(Form("all", "all 45,211 rows, as in the paper"),),
    card=BANK_CARD,
)

CREDITCARD_CARD = DataCard(
    what="Credit card holders in Taiwan, April to September 2005: limit, sex, education, marriage, "
    "age, six months of payment status, bills and payments (New Taiwan dollars).",
    who="I-Cheng Yeh, 2009.",
    licence="CC BY 4.0",
    rows="30,000 rows, all used; the row number and the outcome (default next month) are left out.",
    groups="EDUCATION: higher 24,615, lower 5,385. SEX: female 18,112, male 11,888. MARRIAGE: "
    "single 15,964, married 13,659, other 377.",
    harms="Sex, education and marriage are features too, as in the paper, so clusters can form "
    "along the protected attribute itself. 'Lower' education joins high school with unexplained "
    "codes and hides who is meant. Marriage 'other' is 377 people of unlike situations. The data "
    "come from a credit crisis: low limits and late payments reflect whom the bank lent to, and a "
    "clustering used for lending would repeat that.",
    url="https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
)
CREDITCARD = UciSet(
    name="creditcard",
    title="Credit card clients",
    description="Card holders in Taiwan in 2005 by education, sex or marriage: limits, bills, "
    "payments.",
    origin="UCI Default of Credit Card Clients",
    features=(
        "LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE",
        "PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6",
        "BILL_AMT1", "BILL_AMT2", "BILL_AMT3", "BILL_AMT4", "BILL_AMT5", "BILL_AMT6",
        "PAY_AMT1", "PAY_AMT2", "PAY_AMT3", "PAY_AMT4", "PAY_AMT5", "PAY_AMT6",
    ),
    # The odd codes are explained in the remarks.
    protected={
        "EDUCATION": {
            1: "higher", 2: "higher", 0: "lower", 3: "lower", 4: "lower", 5: "lower", 6: "lower",
        },
        "SEX": {2: "female", 1: "male"},
        "MARRIAGE": {1: "married", 0: "other", 3: "other", 2: "single"},
    },
    remarks={
        "EDUCATION": (
            BOTH.format("EDUCATION"),
            "EDUCATION 1 (graduate school) and 2 (university) are 'higher'; 3 (high school), 4 "
            "(others) and the codes 0, 5 and 6, which the source does not explain (345 rows), are "
            "'lower'.",
        ),
        "SEX": (BOTH.format("SEX"), "SEX has no odd codes."),
        "MARRIAGE": (
            BOTH.format("MARRIAGE"),
            "MARRIAGE 3 (others, 323 rows) and the code 0, which the source does not explain (54 "
            "rows), are 'other'.",
        ),
    },
    forms=(Form("all", "all 30,000 rows, as in the paper"),),
    card=CREDITCARD_CARD,
)  # fmt: skip
