/**
 * Flame graphs of profiles: the choice of a thread, the search, and the graph by d3-flame-graph, which
 * stands before this script.
 */

/** @import { FlameNode, FlameThread, ProfileFindings } from '../../harness/core/results/index.ts' */

/** @param {() => Promise<{ readonly findings: { readonly profiles?: ProfileFindings } }>} embedded */
export async function startFlame(embedded) {
  const place = document.getElementById('flame');
  if (place === null) return;
  const { findings } = await embedded();
  const threads = findings.profiles?.threads ?? [];
  const select = /** @type {HTMLSelectElement} */ (document.getElementById('flame-thread'));
  const search = /** @type {HTMLInputElement} */ (document.getElementById('flame-search'));
  const said = /** @type {HTMLElement} */ (document.getElementById('flame-said'));
  /** @type {any} */
  let chart;
  const draw = () => {
    const thread = threads[Number(select.value)];
    if (thread === undefined) return;
    chart?.destroy();
    place.replaceChildren();
    const legend = document.getElementById('flame-legend');
    if (legend !== null) legend.hidden = thread.flame.d === undefined;
    chart = drawFlame(place, thread, said);
    if (search.value !== '') chart.search(search.value);
  };
  select.addEventListener('change', draw);
  filterByRole(select, threads);
  search.addEventListener('input', () => {
    if (search.value === '') chart?.clear();
    else chart?.search(search.value);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === 0 || place.clientWidth === width) return;
    width = place.clientWidth;
    draw();
  }).observe(place);
}

/**
 * Leaves the threads of one kind in the choice.
 * @param {HTMLSelectElement} select
 * @param {readonly FlameThread[]} threads
 */
function filterByRole(select, threads) {
  const roles = /** @type {HTMLSelectElement | null} */ (document.getElementById('flame-role'));
  if (roles === null) return;
  const options = [...select.options];
  roles.addEventListener('change', () => {
    const wanted = options.filter(
      ({ value }) => roles.value === '' || threads[Number(value)]?.role === roles.value,
    );
    select.replaceChildren(...wanted);
    select.selectedIndex = 0;
    select.dispatchEvent(new Event('change'));
  });
}

/**
 * @param {HTMLElement} place
 * @param {FlameThread} thread
 * @param {HTMLElement} said where a function is described that is pointed at
 */
function drawFlame(place, { operations, flame }, said) {
  const { flamegraph, select } = /** @type {any} */ (globalThis).crossfarmFlame;
  const whole = flame.v || 1;
  /** @param {{ data: FlameNode }} node */
  const describe = ({ data }) => {
    const where = data.l === '' ? '' : ` (${data.l})`;
    const share = ((100 * data.v) / whole).toFixed(1);
    return `${data.n}${where}: ${describeTime(data, operations)}, ${share} %`;
  };
  const chart = flamegraph()
    .width(place.clientWidth)
    .cellHeight(20)
    .minFrameSize(1)
    .transitionDuration(0)
    .inverted(true)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => b.data.v - a.data.v)
    .getName((/** @type {{ data: FlameNode }} */ { data }) => data.n)
    .setLabelHandler(describe)
    .setDetailsElement(said)
    .setDetailsHandler((/** @type {string | null} */ text) => {
      said.textContent = text;
    })
    // Not as an expression, which its reader did not mean.
    .setSearchMatch((/** @type {{ data: FlameNode }} */ { data }, /** @type {string} */ text) =>
      `${data.n} ${data.l}`.toLowerCase().includes(text.toLowerCase()),
    )
    .setSearchHandler(
      (/** @type {unknown} */ _found, /** @type {number} */ sum, /** @type {number} */ total) => {
        said.textContent = `found: ${((100 * sum) / (total || 1)).toFixed(1)} % of the time`;
      },
    )
    .setColorMapper((/** @type {any} */ node) => chooseColour(node, whole));
  select(place).datum(flame).call(chart);
  return chart;
}

/**
 * Milliseconds of one operation, of two sides those of both.
 * @param {FlameNode} node
 * @param {number} operations
 */
function describeTime({ v, d }, operations) {
  if (d === undefined) return `${(v / operations).toPrecision(3)} ms of one operation`;
  const [before, after] = [v - d / 2, v + d / 2].map((ms) => Number(ms.toPrecision(3)));
  const sign = d > 0 ? '+' : '−';
  return `${before} → ${after} ms of one operation, ${sign}${Math.abs(d).toPrecision(3)} ms`;
}

/**
 * @param {{ highlight?: boolean, data: FlameNode }} node
 * @param {number} whole milliseconds
 */
function chooseColour({ highlight, data }, whole) {
  if (highlight) return 'var(--flame-found)';
  if (data.d !== undefined) return colourOfChange(data.d, data.v, whole);
  if (data.k !== 'script') return `var(--flame-${data.k})`;
  let hash = 0;
  for (const character of data.l) hash = (hash * 31 + character.charCodeAt(0)) % 997;
  return `var(--flame-script-${String(hash % 3)})`;
}

/**
 * By how much of both times it is; a change that is nothing of the whole has no colour.
 * @param {number} change
 * @param {number} mean
 * @param {number} whole
 */
function colourOfChange(change, mean, whole) {
  const share = Math.abs(change) / (2 * mean || 1);
  if (share < 0.02 || Math.abs(change) < whole / 200) return 'var(--flame-native)';
  const step = share < 0.1 ? 1 : share < 0.3 ? 2 : 3;
  return `var(--flame-${change > 0 ? 'more' : 'less'}-${String(step)})`;
}
