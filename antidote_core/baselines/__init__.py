"""Fair clustering algorithms to compare with; each returns the same kind of record."""

from antidote_core.baselines.bera import BeraResult, bera
from antidote_core.baselines.fair_lloyd import FairLloydResult, fair_lloyd, fair_lloyd_centers
from antidote_core.baselines.fair_spectral import FairSpectralResult, fair_spectral
from antidote_core.baselines.record import NEAREST, OWN, BaselineResult, BaselineWarning
