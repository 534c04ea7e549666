/**
 * The flame graph of a page of profiles: the choice of a profile and a thread, the search, and the
 * graph by d3-flame-graph, which stands before this script.
 *
 * @typedef {{ readonly n: string, readonly v: number, readonly l: string, readonly k: string, readonly c: FlameNode[] }} FlameNode
 * @typedef {{ readonly title: string, readonly role: string, readonly operations: number, readonly flame: FlameNode }} FlameThread
 */

/**
 * @param {() => Promise<{ readonly json: Blob }>} embedded
 */
export async function startFlame(embedded) {
  const place = document.getElementById('flame');
  if (place === null) return;
  const { json } = await embedded();
  /** @type {{ threads: FlameThread[] }} */
  const { threads } = JSON.parse(await json.text());
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
    chart = drawFlame(place, thread, said);
    if (search.value !== '') chart.search(search.value);
  };
  select.addEventListener('change', draw);
  search.addEventListener('input', () => {
    if (search.value === '') chart?.clear();
    else chart?.search(search.value);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    draw();
  }).observe(place);
}

/**
 * @param {HTMLElement} place
 * @param {FlameThread} thread
 * @param {HTMLElement} said where a function is described that is pointed at
 */
function drawFlame(place, { operations, flame }, said) {
  const { flamegraph, select } = /** @type {any} */ (globalThis).crossfarmFlame;
  /** @param {{ data: FlameNode }} node */
  const describe = ({ data }) => {
    const ms = (data.v / operations).toPrecision(3);
    const share = ((100 * data.v) / (flame.v || 1)).toFixed(1);
    const where = data.l === '' ? '' : ` (${data.l})`;
    return `${data.n}${where}: ${ms} ms of one operation, ${share} %`;
  };
  const chart = flamegraph()
    .width(place.clientWidth)
    .cellHeight(20)
    .minFrameSize(1)
    .transitionDuration(0)
    .inverted(true)
    .sort((/** @type {FlameNode} */ a, /** @type {FlameNode} */ b) => b.v - a.v)
    .getName((/** @type {{ data: FlameNode }} */ { data }) => data.n)
    .setLabelHandler(describe)
    .setDetailsElement(said)
    .setDetailsHandler((/** @type {string | null} */ text) => {
      said.textContent = text;
    })
    .setSearchHandler(
      (/** @type {unknown} */ _found, /** @type {number} */ sum, /** @type {number} */ total) => {
        said.textContent = `found: ${((100 * sum) / (total || 1)).toFixed(1)} % of the time`;
      },
    )
    .setColorMapper((/** @type {any} */ node) => colourOf(node));
  select(place).datum(flame).call(chart);
  return chart;
}

/** @param {{ highlight?: boolean, data: FlameNode }} node */
function colourOf({ highlight, data }) {
  if (highlight) return 'var(--flame-found)';
  if (data.k !== 'script') return `var(--flame-${data.k})`;
  let hash = 0;
  for (const character of data.l) hash = (hash * 31 + character.charCodeAt(0)) % 997;
  return `var(--flame-script-${String(hash % 3)})`;
}
