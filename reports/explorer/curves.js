import { pointsOf, targetKey, targetLabel } from './points.js';
import { counted } from './text.js';

/** Which curves are drawn, and in which panel each point lies. */

/** @typedef {{ panel: string; curve: string; label: string; point: Point }} Placed */

/**
 * The curves of what is shown: one for each target, for each browser family, or for all together; in
 * a panel for each case without the parameter that grows, or all of them in one.
 * @param {Summary[]} summaries @param {State} state @param {Benchmark} benchmark
 * @returns {{ panels: Map<string, Point[]>; curves: Target[] }}
 */
export function curvesOf(summaries, state, benchmark) {
  const placed = pointsOf(summaries, state.statistic).map((point) =>
    place(point, state, benchmark),
  );
  const pooled = state.average === '' ? placed : averaged(placed, state, benchmark);
  const labels = new Map(pooled.map(({ curve, label }) => [curve, label]));
  const keys = [...labels.keys()].sort();
  /** @type {Map<string, Point[]>} */
  const panels = new Map();
  for (const { panel, curve, point } of pooled) {
    const drawn = { ...point, target: keys.indexOf(curve) };
    const own = panels.get(panel);
    if (own === undefined) panels.set(panel, [drawn]);
    else own.push(drawn);
  }
  const inOrder = new Intl.Collator('en', { numeric: true });
  const sorted = [...panels].sort(([one], [other]) => inOrder.compare(one, other));
  return {
    panels: new Map(sorted),
    curves: keys.map((key) => ({ key, label: labels.get(key) ?? key })),
  };
}

/** Whether all curves are drawn in one panel: over runs there is one anyway. @param {State} state */
function isTogether({ together, case: one }) {
  return together && one === '';
}

/** @param {Point} point @param {State} state @param {Benchmark} benchmark @returns {Placed} */
function place(point, state, { growthOver, benchmark }) {
  const { summary } = point;
  const others = Object.entries(summary.parameters).filter(([key]) => key !== growthOver);
  const words = others.map(([key, value]) => `${key}=${String(value)}`).join(' ');
  const panel = state.case !== '' ? summary.case : growthOver === null ? benchmark : words;
  if (!isTogether(state) || growthOver === null) {
    return { panel, curve: targetKey(summary), label: targetLabel(summary), point };
  }
  const label = `${words} · ${targetLabel(summary)}`;
  return { panel: benchmark, curve: `${words} ${targetKey(summary)}`, label, point };
}

/**
 * The mean over targets at each place of a panel: each target counts once, however many trials it has.
 * @param {Placed[]} placed @param {State} state @param {Benchmark} benchmark
 * @returns {Placed[]}
 */
function averaged(placed, state, { growthOver }) {
  /** @type {Map<string, Placed[]>} */
  const groups = new Map();
  for (const one of placed) {
    const { summary } = one.point;
    const n = growthOver === null ? '' : String(summary.parameters[growthOver]);
    const key = JSON.stringify([one.panel, summary.case, n, summary.run, groupOf(one, state)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [meanOf(first, group, state)];
  });
}

/** @param {Placed} placed @param {State} state */
function groupOf({ point }, { average }) {
  return average === 'all' ? 'all targets' : (point.summary.family ?? 'no family');
}

/** @param {Placed} first @param {Placed[]} group @param {State} state @returns {Placed} */
function meanOf(first, group, state) {
  const name = groupOf(first, state);
  const { summary } = first.point;
  const words = isTogether(state) ? first.label.split(' · ')[0] : undefined;
  const label = words === undefined ? name : `${words} · ${name}`;
  const trials = group.reduce((sum, { point }) => sum + point.summary.trials, 0);
  return {
    panel: first.panel,
    curve: label,
    label,
    point: {
      ...first.point,
      summary: {
        ...summary,
        deviceName: `mean of ${counted(group.length, 'target')} (${name})`,
        version: null,
        trials,
      },
      value: group.reduce((sum, { point }) => sum + point.value, 0) / group.length,
      low: null,
      high: null,
    },
  };
}
