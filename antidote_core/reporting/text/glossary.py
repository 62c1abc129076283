"""Every word and symbol of the screens, explained once in a plain sentence."""

from __future__ import annotations

from dataclasses import dataclass

from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.runs.spec import PAPER_SYMBOLS

QUALITY = (
    "Silhouette (−1 to 1, higher is better): how much nearer points lie to their own cluster than "
    "to the next one. Davies-Bouldin (0 is perfect): how wide clusters are compared with the "
    "distance between their centres. Calinski-Harabasz (higher is better): spread between "
    "clusters divided by the spread inside them; compare it only on the same data."
)


@dataclass(frozen=True)
class Term:
    """A word, the paper's symbol for it where there is one, and what it means."""

    word: str
    symbol: str
    sentence: str


GLOSSARY: dict[str, Term] = {
    word: Term(word, symbol, sentence)
    for word, symbol, sentence in (
        *((cost.term, "", cost.definition) for cost in FAIRNESS.values() if cost.term),
        ("data", "U", "The real points, each with the protected group it belongs to."),
        ("protected group", "", "Whom fairness is about: sex, race, marital status and the like. "
         "The clustering never sees it."),
        ("clustering", "C", "A rule that sorts points into clusters of points that lie close "
         "together, for example k-means."),
        ("cluster", "", "The points that share a centre."),
        ("number of clusters", "k", "How many clusters the clustering makes."),
        ("centre", "μ", "The average of the points of a cluster; every point goes to its nearest "
         "centre."),
        ("border", "", "The line between two clusters: there both centres are equally near."),
        ("antidote data", "V", "Made-up points put beside the real ones so that the same "
         "clustering treats the groups fairly; thrown away afterwards."),
        ("size of the antidote", "|V|", "How many antidote points there are, copies counted one by "
         "one."),
        ("data with antidote", "U ∪ V", "The real points and the antidote points together: what is "
         "clustered the second time."),
        ("cost", "F", "How unfair a clustering is to the groups of the real points; lower is "
         "fairer. Antidote points never count in it."),
        ("fair share", "", "The share of a group in the whole data. A cluster at 31 % of its fair "
         "share of a group has not even a third of the members it should have. Too many count like "
         "too few: twice the share is 50 %."),
        ("four fifths", "", "At least 80 % of its fair share for every group in every cluster: our "
         "analogue of the four-fifths rule, by which a group is treated worse when its rate is "
         "below four fifths of another's. It is no legal test."),
        ("price of fairness", "", "By which part the inertia on the real points, the sum of their "
         "squared distances to their centres, rises over plain clustering. At +10 % the clusters "
         "fit the data a tenth worse."),
        ("guard", "", "What a clustering must keep to count, however fair it is: every cluster "
         "keeps a share of the data, and the price of fairness stays small. The paper has none."),
        ("hollow", "", "Said of a target that is met at the expense of what clusters are for: one "
         "of them is nearly empty, or all of them fit the data much worse."),
        ("copies", "", "Antidote points that are rows of the data once more: no value is made up, "
         "and clustering the data with these rows weighted does the same."),
        ("plain clustering", "vanilla", "The clustering of the data alone, before anything is "
         "added."),
        ("fair algorithm", "SOTA", "An algorithm that builds fairness into the clustering itself, "
         "shown for comparison (state of the art)."),
        ("Algorithm 2", "", "Place a few antidote points as well as possible; if the cost is still "
         "above the target, allow some more and try again."),
        ("Algorithm 1", "", "The same idea for convex clustering, solved as one program."),
        ("start size", PAPER_SYMBOLS["start_size"], "Antidote points in the first round of "
         "Algorithm 2."),
        ("step", PAPER_SYMBOLS["step"], "Points that every further round may add."),
        ("target", PAPER_SYMBOLS["target"], "The cost at which the search ends."),
        ("dimensions of the search", PAPER_SYMBOLS["embed_dim"], "The paper searches in a random "
         "space of so many dimensions instead of in all coordinates of all antidote points."),
        ("evaluation", "f(V)", "Clustering the data together with one V and taking the cost: one "
         "try of the search."),
        ("start", "", "k-means begins with guessed centres and improves them. Another start may "
         "end elsewhere; the best of several counts."),
        ("seed", "", "The number that fixes every random choice: same seed, same result."),
        ("optimum", "", "A clustering that no small move improves. Data can have several."),
        ("capture", "", "Antidote points so many or so far away that they take a centre for "
         "themselves. That cluster holds nobody, and its balance cost is 0, the worst."),
        ("noise", "", "How much the cost of plain clustering moves from seed to seed. A smaller "
         "gain may be luck."),
        ("independent clustering", "", "Clustering the same points again with another program and "
         "fresh seeds: does it come to the same cost?"),
        ("strength of fusion", "λ", "In convex clustering: the larger, the more centres fuse."),
        ("stand-in weight", "γ", "In Algorithm 1: the weight of what stands in for a condition "
         "that is not convex."),
        ("silhouette", "", "How much nearer points lie to their own cluster than to the next: from "
         "−1 to 1, higher is better. It says nothing about groups."),
    )
}  # fmt: skip


def explain(word: str) -> str:
    """The sentence behind a word, for the help beside a figure.

    >>> explain("cluster")
    'The points that share a centre.'
    """
    return GLOSSARY[word].sentence


def explain_cost(fairness: str) -> str:
    """What a fairness cost measures, for the help beside its figure; also for one of your own.

    >>> explain_cost("gap") == explain("group-cost gap")
    True
    """
    entry = get_fairness(fairness)
    return entry.definition or entry.sentence


def cost_meaning(fairness: str) -> str:
    """What the cost measures and what would be perfect.

    >>> cost_meaning("gap").split(":")[0]
    'Group-cost gap'
    """
    entry = get_fairness(fairness)
    said = entry.meaning or f"{entry.label}: {entry.sentence}"
    return f"{said} Lower is fairer. Best possible: {entry.best}"


def find_terms(text: str) -> list[Term]:
    """The terms whose word, symbol or sentence holds the text, those with the word itself first.

    >>> [term.word for term in find_terms("ξ")]
    ['step']
    """
    wanted = text.strip().casefold()
    found = [
        term
        for term in sorted(GLOSSARY.values(), key=lambda term: term.word.casefold())
        if any(wanted in part.casefold() for part in (term.word, term.symbol, term.sentence))
    ]
    return sorted(found, key=lambda term: wanted not in (term.word + term.symbol).casefold())


@dataclass(frozen=True)
class Question:
    """A question about what the clusters are for; every answer leads to another or to a cost."""

    text: str
    answers: dict[str, Question | str]


NOTIONS = Question(
    "What would go wrong for a group?",
    {
        "It is missing from a cluster, or crowded into one, and what a cluster gets or decides "
        "passes it by": "balance",
        "Its people are in some cluster, but the cluster fits them badly: the centre that stands "
        "for them is far away": Question(
            "Which of these would you rather defend?",
            {
                "The worst-served group is served as well as possible, even if others fare better "
                "still": "social",
                "All groups are served about equally well, even if that serves nobody better": (
                    "gap"
                ),
            },
        ),
    },
)
