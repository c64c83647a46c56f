"""The results in the paper. Entries that are missing here are dashes in the paper."""

from topk_tune.data.catalog import PAPER

DATASETS = tuple(PAPER)
"""In the order of its tables."""

TITLES = {name: entry.title for name, entry in PAPER.items()} | {
    "topopt": "TopOpt",
    "topada": "TopAda",
    "fullopt": "FullOpt",
    "fullada": "FullAda",
}

K = 3
"""The number of labels in the feedback, except for the figure."""

LOSSES: dict[tuple[str, str | None], dict[str, float]] = {
    ("topopt", "uniform"): {"emotions": 0.20, "scene": 0.11, "yeast": 0.23, "m_reduced": 0.11},
    ("topada", "uniform"): {
        "emotions": 0.22,
        "scene": 0.13,
        "yeast": 0.23,
        "mediamill": 0.09,
        "m_reduced": 0.11,
    },
    ("topopt", "single-swap"): {"emotions": 0.19, "scene": 0.11, "yeast": 0.22, "m_reduced": 0.11},
    ("topada", "single-swap"): {
        "emotions": 0.23,
        "scene": 0.13,
        "yeast": 0.22,
        "mediamill": 0.08,
        "m_reduced": 0.11,
    },
    ("fullopt", None): {"emotions": 0.17, "scene": 0.07, "yeast": 0.18, "m_reduced": 0.06},
    ("fullada", None): {
        "emotions": 0.16,
        "scene": 0.09,
        "yeast": 0.19,
        "mediamill": 0.05,
        "m_reduced": 0.06,
    },
}
"""Average weighted rank loss on the test rows by algorithm and exploration: Tables 1 and 2."""

SPREADS: dict[str, dict[str, float]] = {
    "topopt": {"emotions": 0.013, "scene": 0.010, "yeast": 0.0054, "m_reduced": 0.0087},
    "topada": {
        "emotions": 0.031,
        "scene": 0.015,
        "yeast": 0.0059,
        "mediamill": 0.0011,
        "m_reduced": 0.0069,
    },
}
"""Standard deviations over ten runs, uniform exploration: Table 3."""

SECONDS: dict[str, dict[str, float]] = {
    "topopt": {"emotions": 299, "scene": 415, "yeast": 334, "m_reduced": 1852},
    "topada": {"emotions": 189, "scene": 371, "yeast": 260, "mediamill": 4752, "m_reduced": 352},
}
"""Average runtimes, uniform exploration: Table 4."""

SUMMARIES = {
    "emotions": (391, 202, 72, 6, 1, 1.87, 3),
    "scene": (1211, 1196, 294, 6, 1, 1.07, 3),
    "yeast": (1500, 917, 103, 14, 1, 4.24, 11),
    "mediamill": (30993, 12914, 120, 101, 0, 4.38, 18),
    "m_reduced": (1500, 500, 120, 101, 0, 4.39, 13),
}
"""Training and test rows, features, labels; minimum, mean and maximum labels per row: Table 6."""

FIGURE_KS = (2, 3, 5, 7, 14)
"""The sizes of the feedback on Yeast, with TopOpt: Figure 1."""
