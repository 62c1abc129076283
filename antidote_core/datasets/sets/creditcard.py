"""UCI Default of Credit Card Clients: Taiwan 2005, 23 features; education, sex or marriage."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.bundled import STANDARDISED, codes_of, read_bundled, standardise
from antidote_core.datasets.info import DatasetInfo, Form, Request
from antidote_core.types import Column, DataCard, Dataset

FEATURES = (
    "LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE",
    "PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6",
    "BILL_AMT1", "BILL_AMT2", "BILL_AMT3", "BILL_AMT4", "BILL_AMT5", "BILL_AMT6",
    "PAY_AMT1", "PAY_AMT2", "PAY_AMT3", "PAY_AMT4", "PAY_AMT5", "PAY_AMT6",
)  # fmt: skip
# Code in the file -> name on the screen; the odd codes are explained in ODD_CODES.
PROTECTED = {
    "EDUCATION": {
        0: "lower", 1: "higher", 2: "higher", 3: "lower", 4: "lower", 5: "lower", 6: "lower",
    },
    "SEX": {1: "male", 2: "female"},
    "MARRIAGE": {0: "other", 1: "married", 2: "single", 3: "other"},
}  # fmt: skip
ODD_CODES = {
    "EDUCATION": "EDUCATION 1 (graduate school) and 2 (university) are 'higher'; 3 (high school), "
    "4 (others) and the codes 0, 5 and 6, which the source does not explain (345 rows), are "
    "'lower'.",
    "SEX": "SEX has no odd codes.",
    "MARRIAGE": "MARRIAGE 3 (others, 323 rows) and the code 0, which the source does not explain "
    "(54 rows), are 'other'.",
}
FORMS = (Form("all", "all 30,000 rows, as in the paper"),)

CARD = DataCard(
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


def load(request: Request) -> Dataset:
    """All rows and all 23 features, standardised."""
    frame = read_bundled("creditcard")
    points, shift, scale = standardise(frame[list(FEATURES)].to_numpy(dtype=np.float64))
    meaning = PROTECTED[request.protected]
    names = tuple(sorted(set(meaning.values())))
    return Dataset(
        name="creditcard",
        points=points,
        groups=codes_of(frame[request.protected].map(meaning), names),
        group_names=names,
        feature_names=FEATURES,
        protected=request.protected,
        source="UCI Default of Credit Card Clients, bundled copy, all 30,000 rows",
        shift=shift,
        scale=scale,
        columns=tuple(Column(name) for name in FEATURES),
        title=INFO.title,
        notes=(
            STANDARDISED,
            f"{request.protected} is both the protected attribute and a feature, as in the paper.",
            ODD_CODES[request.protected],
        ),
        card=CARD,
    )


INFO = DatasetInfo(
    name="creditcard",
    title="Credit card clients",
    description="Card holders in Taiwan in 2005 by education, sex or marriage: limits, bills, "
    "payments.",
    kind="real",
    protected=tuple(PROTECTED),
    load=load,
    forms=lambda: FORMS,
)
