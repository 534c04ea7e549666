import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeDriver } from '../../drivers/fake/fake.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { versionsDefaults } from '../core/app/defaults.ts';
import { defaultInventory } from '../core/project.ts';
import { formatDuration } from '../core/run/progress/time-left.ts';
// Sets what makes profiles.
import '../features.ts';
import { measureCausal } from '../features/blame/causal/causal.ts';
import type { FunctionSlope } from '../features/blame/causal/versions.ts';
import { playedPages } from './played-page.ts';
import type { BenchRow } from './row.ts';
import {
  countBusyThreads,
  type Graph,
  listTasks,
  makeGraph,
  type Task,
  writeGraph,
} from './task-graphs.ts';

/** Task graphs: `CROSSFARM_CASES=40 CROSSFARM_PLAYED=0 CROSSFARM_SEED=1 npm run bench -- causal`. */
const cases = {
  played: Number(process.env['CROSSFARM_PLAYED'] ?? 40),
  chromium: Number(process.env['CROSSFARM_CASES'] ?? 4),
};
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);

export type CausalBrowser = keyof typeof cases;

/** As near to the truth a slope has to be. */
const near = 0.1;

/** As many as `crossfarm causal` measures. */
const mostBlocks = 30;

/** A function of a graph, what a profile shows of it, and what was found. */
interface MeasuredTask {
  readonly task: Task & { readonly ms: number };
  readonly slope: FunctionSlope | undefined;
}

/**
 * Measures the slopes of generated task graphs, whose longest path is known, on a played machine, where
 * threads have their own clocks and the transformed scripts are really run, and in Chromium.
 */
export async function causalBench(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const browser of ['played', 'chromium'] as const) {
    if (cases[browser] === 0) continue;
    const found: (readonly MeasuredTask[])[] = [];
    const began = performance.now();
    for (let seed = firstSeed; found.length < cases[browser]; seed += 1) {
      const graph = makeGraph(seededGenerator(seed));
      if (browser !== 'played' && countBusyThreads(graph) > availableParallelism()) continue;
      const own = await measureGraph(graph, browser, { seed });
      found.push(own);
      console.error(`${browser}, seed ${String(seed)}: ${own.map(describeFound).join(', ')}`);
    }
    const eachMs = (performance.now() - began) / cases[browser];
    rows.push(...describeAll(found, browser, eachMs));
  }
  return rows;
}

function describeAll(
  graphs: readonly (readonly MeasuredTask[])[],
  browser: CausalBrowser,
  eachMs: number,
): readonly BenchRow[] {
  const all = graphs.flat();
  const right = all.filter(isRight);
  const graphsRight = graphs.filter((own) => own.every(isRight));
  const beside = all.filter(({ task }) => task.slope === 0);
  const holding = beside.filter(({ slope }) => (slope?.low ?? 1) <= 0 && (slope?.high ?? -1) >= 0);
  const known = all.filter(({ slope }) => typeof slope?.low === 'number');
  const covering = known.filter(({ task, slope }) => {
    const { low, high } = slope ?? {};
    return (low ?? Infinity) <= task.slope && (high ?? -Infinity) >= task.slope;
  });
  const pairs = graphs.flatMap((own) =>
    own.flatMap((a) => own.map((b) => [a.task, b.task] as const)),
  );
  const gain = ({ slope, ms }: MeasuredTask['task']): number => slope * ms;
  const unequal = pairs.filter(([a, b]) => a.ms > b.ms && gain(a) !== gain(b));
  const wrong = unequal.filter(([a, b]) => gain(a) < gain(b));
  const misleading = graphs.filter(
    (own) => own.toSorted((a, b) => b.task.ms - a.task.ms)[0]?.task.slope === 0,
  );
  const blocks = all.reduce((sum, { slope }) => sum + (slope?.blocks ?? 0), 0) / all.length;
  const where = browser === 'played' ? 'on a played machine' : 'in Chromium';
  const row = (figure: string, part: readonly unknown[], whole: readonly unknown[], more = '') => ({
    bench: 'causal',
    unit: '%',
    ratio: null,
    figure: `${figure}, ${where}`,
    value: (100 * part.length) / whole.length,
    detail: `${String(part.length)} of ${String(whole.length)}${more}`,
  });
  const cost = `; ${blocks.toFixed(0)} blocks and ${formatDuration(eachMs)} a graph`;
  return [
    row('functions whose slope is within ± 0.1 of the truth', right, all, cost),
    row('task graphs with all slopes within ± 0.1', graphsRight, graphs),
    row('functions beside the longest path whose interval holds 0', holding, beside),
    row('intervals that hold the truth', covering, known),
    row('pairs of functions that a profile puts in the wrong order', wrong, unequal),
    row(
      'task graphs whose profile names a function first that nothing waits for',
      misleading,
      graphs,
    ),
  ];
}

function isRight({ task, slope }: MeasuredTask): boolean {
  return Math.abs((slope?.value ?? Infinity) - task.slope) <= near;
}

function describeFound({ task, slope }: MeasuredTask): string {
  const [value, low, high] = [slope?.value, slope?.low, slope?.high].map(
    (one) => one?.toFixed(2) ?? 'none',
  ) as [string, string, string];
  const bent = slope?.isLine === false ? ' bent' : '';
  return `${task.name} ${task.slope.toFixed(2)} → ${value} (${low} … ${high})${bent}`;
}

const lockBefore = process.env['CROSSFARM_HOST_LOCK'];

const played = {
  id: 'chromium',
  browser: 'chromium',
  driver: 'playwright',
  headless: true,
  executable: process.execPath,
};

/** Measures the functions of one graph. */
export async function measureGraph(
  graph: Graph,
  browser: CausalBrowser,
  { seed, maxBlocks = mostBlocks }: { readonly seed: number; readonly maxBlocks?: number },
): Promise<readonly MeasuredTask[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-causal-'));
  try {
    const page = join(folder, 'page');
    await mkdir(page);
    for (const [name, text] of Object.entries(writeGraph(graph))) {
      await writeFile(join(page, name), text);
    }
    const inventory = join(folder, 'devices.json');
    if (browser === 'played') await writeFile(inventory, JSON.stringify({ devices: [played] }));
    // Nothing is measured in it, so other farms need not wait for it, nor it for them.
    if (browser === 'played') process.env['CROSSFARM_HOST_LOCK'] = 'off';
    else if (lockBefore !== undefined) process.env['CROSSFARM_HOST_LOCK'] = lockBefore;
    else delete process.env['CROSSFARM_HOST_LOCK'];
    const caller = { signal: new AbortController().signal, say: () => undefined };
    const driver = fakeDriver({ trial: playedPages(seededGenerator(seed)) });
    const tasks = listTasks(graph);
    const { browsers } = await measureCausal(
      page,
      {
        ...versionsDefaults,
        browsers: ['chromium'],
        inventory: browser === 'played' ? inventory : defaultInventory(),
        database: join(folder, 'farm.db'),
        measure: ['measure:work'],
        functions: tasks.map(({ name }) => name),
        command: 'npm run bench -- causal',
        seed,
        maxBlocks,
        ...(browser === 'played' && { measurement: 'fast', probes: false }),
      },
      browser === 'played' ? { ...caller, loadDriver: () => Promise.resolve(driver) } : caller,
    );
    const found = browsers[0]?.functions ?? [];
    return tasks.map((task) => ({
      task,
      slope: found.find(({ called }) => called.name === task.name),
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
