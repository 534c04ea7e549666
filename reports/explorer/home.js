import { drawBenchmarks } from './benchmarks.js';
import { byId, showMarkup } from './element.js';
import { watch } from './live.js';
import { drawCalendar } from './nights.js';
import { drawRuns, isRunning } from './runs.js';
import { readChanged, readFilters, readNights, readOpenable, readRuns } from './api.js';

/** The first page: what goes on, what changed, the newest runs, the nights, the benchmarks. */

/** A year of them, and the page need not be scrolled for long. */
const runsAtFirst = 10;

/** A person wants the analysis now: the run may be one that a killed farm left, which never ends. */
let isWanted = false;

async function start() {
  // Links from before there was a first page: what they point to is in Explore.
  const { hash } = location;
  if (hash !== '' && document.getElementById(hash.slice(1)) === null) {
    location.replace(`/explore${hash}`);
    return;
  }
  byId('analyse').addEventListener('click', () => {
    isWanted = true;
    void show();
  });
  await show();
  await watch({
    runs: byId('live'),
    joining: byId('joining'),
    began: () => void show(),
    ended: () => void show(),
  });
}

/** Draws all parts, and again after the end of a run. A failure of one leaves the others. */
async function show() {
  byId('status').textContent = '';
  const { runs, next } = await readRuns(runsAtFirst, null);
  const isEmpty = runs.length === 0;
  byId('welcome').hidden = !isEmpty;
  byId('runs').hidden = isEmpty;
  const mayAnalyse = isWanted || !runs.some(isRunning);
  byId('busy').hidden = mayAnalyse;
  if (!isEmpty) drawRuns(byId('runs-list'), { runs, next }, mayAnalyse);
  const nights = readNights();
  await Promise.all([
    part('nights', async () => drawCalendar(byId('calendar'), await nights, isEmpty)),
    part('benchmarks', async () =>
      drawBenchmarks(byId('benchmarks-list'), await readOpenable(), await readFilters()),
    ),
    part('changed', async () => {
      if (isEmpty || !mayAnalyse) return false;
      // The newest run may be a comparison, which has no nights.
      const [newest] = await nights.catch(() => []);
      const { changed } = await readChanged(newest?.suite ?? null);
      showMarkup(byId('changes'), changed ?? '');
      return changed !== null;
    }),
  ]);
}

/**
 * @param {'nights' | 'benchmarks' | 'changed'} id
 * @param {() => Promise<boolean>} draw whether there is something to show
 */
async function part(id, draw) {
  try {
    byId(id).hidden = !(await draw());
  } catch (error) {
    fail(error);
  }
}

/** @param {unknown} error */
function fail(error) {
  const why = error instanceof Error ? error.message : String(error);
  byId('status').append(`Not all can be shown: ${why} `);
}

start().catch(fail);
