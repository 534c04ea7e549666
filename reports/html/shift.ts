/**
 * The ratio of two targets by the ranks of their trials, in plain JavaScript for the reader's browser:
 * Hodges and Lehmann's estimate over the logarithms, and Mann and Whitney's interval of it. It is what
 * the harness computes for two runs (its formulas and sources stand there), small enough to embed, and
 * always exact: P(U ≤ u) comes from the coefficients of the Gaussian binomial (m + n over m), of which
 * a lower tail takes nothing but the lower ones. It holds for one look, and no verdict is made of it.
 */
export const shift = `
  const mostPairs = 40000;
  const tails = new Map();
  const tailOf = (m, n) => {
    const key = m + ' ' + n;
    if (tails.has(key)) return tails.get(key);
    const orders = new Float64Array(m * n + 1);
    orders[0] = 1;
    let all = 1;
    for (let i = 1; i <= m; i += 1) {
      all *= (n + i) / i;
      for (let u = m * n; u >= n + i; u -= 1) orders[u] -= orders[u - n - i];
      for (let u = i; u <= m * n; u += 1) orders[u] += orders[u - i];
    }
    let sum = 0;
    tails.set(key, orders.map((count) => (sum += count / all)));
    return tails.get(key);
  };
  const shiftOf = (a, b, wanted) => {
    const all = Float64Array.from(a.flatMap((one) => b.map((other) => Math.log(one) - Math.log(other)))).sort();
    const ratio = Math.exp((all[(all.length - 1) >> 1] + all[all.length >> 1]) / 2);
    if (all.length > mostPairs) return { ratio, why: 'too many trials for an interval here' };
    const tail = tailOf(Math.min(a.length, b.length), Math.max(a.length, b.length));
    let rank = 1;
    while (2 * (rank + 1) <= all.length + 1 && 1 - 2 * tail[rank] >= wanted) rank += 1;
    if (1 - 2 * tail[rank - 1] < wanted) {
      return { ratio, why: a.length + ' against ' + b.length + ' trials: too few for an interval' };
    }
    return { ratio, low: Math.exp(all[rank - 1]), high: Math.exp(all[all.length - rank]) };
  };
  // As the page's own ratios: one digit more than the width has, and none below the clocks' steps.
  const ratioText = ({ ratio, low, high }, step) => {
    const place = (value) => Math.floor(Math.log10(value) + 1e-12);
    const first = place(ratio);
    const width = low === undefined ? 0 : (high - low) / 10;
    const fitting = width > 0 ? Math.max(place(width), first - 4) : first - 2;
    const finest = step > 0 ? Math.ceil(Math.log10(step) - 1e-9) : -12;
    const decimals = Math.max(0, -Math.max(Math.min(first - 2, fitting, 0), finest, -12));
    const shown = (value) => value.toFixed(decimals);
    return { ratio: shown(ratio) + '×', interval: low === undefined ? null : shown(low) + '–' + shown(high) + '×' };
  };
  const against = (cell, other, wanted) => {
    if (![...cell.values, ...other.values].every((value) => value > 0)) return { ratio: '—', note: 'a value of 0 has no ratio' };
    const found = shiftOf(cell.values, other.values, wanted);
    const step = found.ratio * (cell.resolution / cell.median + other.resolution / other.median);
    const { ratio, interval } = ratioText(found, step);
    return { ratio, note: (interval ?? found.why) + ', one look, no verdict' };
  };
`;
