"""Who may be in which cluster, by masses: m[c, t] = number of points of type t in cluster c.

A point's type is its combination of protected attributes; with one attribute, types are groups.
All constraints of fair assignment are linear in the masses, and there are only k times types of
them, however many points there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class MassRows:
    """lower <= matrix @ m.ravel() <= upper, with `matrix` (rows, k * types)."""

    matrix: sparse.csr_array
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class FairBounds:
    """The share of group j in every cluster must lie in [lower[j], upper[j]].

    `members` (types, groups) says which types belong to which groups; the groups of several
    attributes stand side by side.
    """

    members: NDArray[np.bool_]
    lower: Floats
    upper: Floats

    @classmethod
    def around_shares(cls, members: NDArray[np.bool_], sizes: Ints, delta: float) -> FairBounds:
        """[(1 - delta) r, r / (1 - delta)] around the share r of each group in the whole data."""
        shares = (sizes @ members) / sizes.sum()
        return cls(members, (1 - delta) * shares, np.minimum(shares / (1 - delta), 1.0))

    def rows(self, k: int, allow_empty: bool) -> MassRows:
        """For every cluster and group: m_cj - upper_j n_c <= 0 <= m_cj - lower_j n_c."""
        members = self.members.T.astype(np.float64)
        above = members - self.upper[:, None]
        below = members - self.lower[:, None]
        zeros, free = np.zeros(len(above)), np.full(len(above), np.inf)
        block, lower, upper = [above, below], [-free, zeros], [zeros, free]
        if not allow_empty:
            block.append(np.ones((1, members.shape[1])))
            lower.append(np.ones(1))
            upper.append(np.full(1, np.inf))
        matrix = sparse.kron(sparse.eye_array(k), np.vstack(block), format="csr")
        return MassRows(
            matrix, np.tile(np.concatenate(lower), k), np.tile(np.concatenate(upper), k)
        )

    def violation(self, masses: Floats) -> float:
        """Largest number of points by which masses (k, types) miss a bound; 0 when none is missed.

        Below a billionth of a point it is rounding of the shares and counts as 0.
        """
        counts = masses @ self.members
        totals = masses.sum(axis=1, keepdims=True)
        missed = np.maximum(self.lower * totals - counts, counts - self.upper * totals)
        worst = float(missed.max())
        return worst if worst > 1e-9 else 0.0


def exactly(masses: Floats) -> MassRows:
    """The rows that fix every mass."""
    flat = masses.ravel().astype(np.float64)
    return MassRows(sparse.eye_array(len(flat), format="csr"), flat, flat)


def count_masses(labels: Ints, types: Ints, k: int, kinds: int) -> Floats:
    """Masses (k, kinds) of a whole assignment."""
    flat = np.bincount(labels * kinds + types, minlength=k * kinds)
    return flat.reshape(k, kinds).astype(np.float64)
