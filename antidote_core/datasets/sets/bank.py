"""UCI Bank Marketing: clients of a Portuguese bank, three features, groups by marital status."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.bundled import STANDARDISED, codes_of, read_bundled, standardise
from antidote_core.datasets.info import DatasetInfo, Form, Request
from antidote_core.types import Column, DataCard, Dataset

FEATURES = ("age", "balance", "duration")
# Value in the file -> name on the screen.
PROTECTED = {
    "marital": {"divorced": "divorced", "married": "married", "single": "single"},
    "default": {"no": "no credit in default", "yes": "credit in default"},
}
FORMS = (Form("all", "all 45,211 rows, as in the paper"),)

CARD = DataCard(
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


def load(request: Request) -> Dataset:
    """All rows of bank-full.csv, standardised."""
    frame = read_bundled("bank")
    points, shift, scale = standardise(frame[list(FEATURES)].to_numpy(dtype=np.float64))
    names = PROTECTED[request.protected]
    return Dataset(
        name="bank",
        points=points,
        groups=codes_of(frame[request.protected], list(names)),
        group_names=tuple(names.values()),
        feature_names=FEATURES,
        protected=request.protected,
        source="UCI Bank Marketing, bundled copy, all 45,211 rows",
        shift=shift,
        scale=scale,
        columns=tuple(Column(name) for name in FEATURES),
        title=INFO.title,
        notes=(STANDARDISED,),
        card=CARD,
    )


INFO = DatasetInfo(
    name="bank",
    title="Bank marketing",
    description="Clients of a Portuguese bank by marital status or credit in default: age, "
    "balance, length of call.",
    kind="real",
    protected=tuple(PROTECTED),
    load=load,
    forms=lambda: FORMS,
)
