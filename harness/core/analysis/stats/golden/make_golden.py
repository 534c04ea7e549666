"""Writes scipy.json, the values against which the statistics are tested.

Run it only when a function is added: pip install scipy && python3 make_golden.py
"""

import json
import pathlib

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(20261121)


def student():
    cases = [(t, df) for df in (1, 2, 2.5, 5, 9.7, 30, 198, 5000) for t in (1e-6, 0.3, 1, 1.96, 4, 25)]
    return [{"t": t, "degrees": df, "p": float(2 * stats.t.sf(t, df))} for t, df in cases]


def student_quantiles():
    cases = [(c, df) for df in (1, 2, 3.3, 10, 100, 1e6) for c in (0.5, 0.9, 0.95, 0.99, 0.9999)]
    return [{"coverage": c, "degrees": df, "t": float(stats.t.ppf((1 + c) / 2, df))} for c, df in cases]


def welch():
    groups = [
        (random.normal(10, 1, 5), random.normal(11, 3, 9)),
        (random.normal(1, 0.05, 50), random.normal(1.02, 0.05, 50)),
        (random.standard_t(2.5, 20), random.lognormal(0, 1, 12)),
        (random.normal(1e9, 1, 8), random.normal(1e9, 1, 8)),
    ]
    return [
        {"a": a.tolist(), "b": b.tolist(), "p": float(stats.ttest_ind(a, b, equal_var=False).pvalue)}
        for a, b in groups
    ]


def median_coverage():
    """Largest k with coverage of [x_(k), x_(n+1-k)] at least the wanted confidence."""
    rows = []
    for n in (1, 2, 3, 5, 6, 9, 10, 25, 100, 1000, 3000):
        for wanted in (0.5, 0.9, 0.95, 0.99):
            coverages = [1 - 2 * float(stats.binom.cdf(k - 1, n, 0.5)) for k in range(1, n // 2 + 1)] or [0.0]
            kept = [k for k, c in enumerate(coverages, 1) if c >= wanted] or [1]
            rows.append({"n": n, "wanted": wanted, "rank": kept[-1], "coverage": coverages[kept[-1] - 1]})
    return rows


def growth():
    x = numpy.arange(20, 29)
    y = 0.01 * 1.618**x * numpy.exp(random.normal(0, 0.05, x.size))
    line = stats.linregress(x, numpy.log(y))
    reach = stats.t.ppf(0.975, x.size - 2) * line.stderr
    low, high = numpy.exp([line.slope - reach, line.slope + reach])
    return {
        "points": [{"x": float(a), "y": float(b)} for a, b in zip(x, y)],
        "perStep": float(numpy.exp(line.slope)),
        "low": float(low),
        "high": float(high),
    }


def rates():
    rows = []
    for k, n in ((0, 10), (10, 10), (3, 60), (40, 2000), (7, 7), (1, 1), (0, 1), (990, 2000)):
        for confidence in (0.95, 0.998):
            found = stats.binomtest(k, n).proportion_ci(confidence, method="exact")
            rows.append({"count": k, "of": n, "confidence": confidence, "low": found.low, "high": found.high})
    return rows


def normal():
    return [{"z": z, "p": float(stats.norm.cdf(z))} for z in (-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3)]


values = {
    "scipy": scipy.__version__,
    "student": student(),
    "studentQuantiles": student_quantiles(),
    "welch": welch(),
    "medianCoverage": median_coverage(),
    "growth": growth(),
    "rates": rates(),
    "normal": normal(),
}
target = pathlib.Path(__file__).with_name("scipy.json")
target.write_text(json.dumps(values, indent=1) + "\n")
