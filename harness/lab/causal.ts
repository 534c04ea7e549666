import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SeededGenerator, seededGenerator } from '../core/analysis/stats/random.ts';
import { versionsDefaults } from '../core/app/defaults.ts';
import { defaultInventory } from '../core/project.ts';
import { formatDuration } from '../core/run/progress/time-left.ts';
import { type FunctionSlope, measureCausal } from '../features/blame/causal/causal.ts';
import type { BenchRow } from './row.ts';

/** Task graphs: `CROSSFARM_CASES=40 CROSSFARM_SEED=1 npm run bench -- causal`. */
const cases = Number(process.env['CROSSFARM_CASES'] ?? 4);
const firstSeed = Number(process.env['CROSSFARM_SEED'] ?? 1);

/** As near to the truth a slope has to be. */
const near = 0.1;

/** A function of a generated page, whose calls take this long together. */
interface Task {
  readonly name: string;
  readonly place: 'main' | 'worker' | 'timer' | 'unheeded';
  readonly ms: number;
  readonly calls: number;
  /** The cost of a millisecond in it: 1 on the longest path, 0 beside it. */
  readonly slope: number;
}

/** Steps one after the other; the tasks of a step begin together, and the next waits for all of them. */
type Graph = readonly (readonly Task[])[];

/**
 * Measures the slopes of generated task graphs in Chromium, whose longest path is known: work on the main
 * thread, in workers and after timers, and in a worker that nothing waits for.
 */
export async function causalBench(): Promise<readonly BenchRow[]> {
  const found: { readonly task: Task; readonly slope: FunctionSlope | undefined }[] = [];
  let misleading = 0;
  const began = performance.now();
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const graph = makeGraph(seededGenerator(seed));
    const tasks = graph.flat();
    const slopes = await measureGraph(graph, seed);
    const own = tasks.map((task) => ({
      task,
      slope: slopes.find(({ called }) => called.name === task.name),
    }));
    found.push(...own);
    const longest = tasks.toSorted((one, other) => other.ms - one.ms)[0];
    if (longest?.slope === 0) misleading += 1;
    console.error(`seed ${String(seed)}: ${own.map(describeFound).join(', ')}`);
  }
  const isNear = (one: (typeof found)[number]): boolean =>
    Math.abs((one.slope?.value ?? Infinity) - one.task.slope) <= near;
  const beside = found.filter(({ task }) => task.slope === 0);
  const holding = beside.filter(({ slope }) => (slope?.low ?? 1) <= 0 && (slope?.high ?? -1) >= 0);
  const base = { bench: 'causal', unit: '%', ratio: null };
  const share = (part: number, whole: number): number => (100 * part) / whole;
  return [
    {
      ...base,
      figure: 'slope within ± 0.1 of the truth',
      value: share(found.filter(isNear).length, found.length),
      detail: `${String(found.length)} functions of ${String(cases)} task graphs, ${formatDuration((performance.now() - began) / cases)} each`,
    },
    {
      ...base,
      figure: 'functions beside the longest path whose interval holds 0',
      value: share(holding.length, beside.length),
      detail: `${String(holding.length)} of ${String(beside.length)}`,
    },
    {
      ...base,
      figure: 'task graphs in which a profile names a function first that nothing waits for',
      value: share(misleading, cases),
      detail: 'by self time, as it was made',
    },
  ];
}

function describeFound({
  task,
  slope,
}: {
  readonly task: Task;
  readonly slope: FunctionSlope | undefined;
}): string {
  const [value, low, high] = [slope?.value, slope?.low, slope?.high].map(
    (one) => one?.toFixed(2) ?? 'none',
  ) as [string, string, string];
  return `${task.name} ${String(task.slope)} → ${value} (${low} … ${high})`;
}

/** Milliseconds: what is on the path, and beside it so much less that a delay of 20 % changes nothing. */
const lengths = { longest: [38, 48], shorter: [4, 10], last: [6, 14], unheeded: [10, 70] } as const;

function makeGraph(generator: SeededGenerator): Graph {
  let made = 0;
  const task = (place: Task['place'], length: keyof typeof lengths, slope: number): Task => {
    made += 1;
    const [least, most] = lengths[length];
    const ms = least + generator.nextInt(most - least + 1);
    return { name: `${place}${String(made)}`, place, ms, calls: 1 + generator.nextInt(4), slope };
  };
  const kinds: readonly (() => readonly Task[])[] = [
    () => [task('worker', 'longest', 1), task('main', 'shorter', 0)],
    () => [task('main', 'longest', 1), task('worker', 'shorter', 0)],
    () => [task('timer', 'last', 1), task('main', 'shorter', 0)],
  ];
  const two = generator.shuffle(kinds).slice(0, 2);
  const unheeded = generator.nextInt(2) === 0 ? [[task('unheeded', 'unheeded', 0)]] : [];
  return [...unheeded, ...two.map((make) => make())];
}

/** A timer fires after this; the main thread has long ended by then. */
const timerMs = 40;

async function measureGraph(graph: Graph, seed: number): Promise<readonly FunctionSlope[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-causal-'));
  try {
    const page = join(folder, 'page');
    await mkdir(page);
    for (const [name, text] of Object.entries(writeGraph(graph))) {
      await writeFile(join(page, name), text);
    }
    const tasks = graph.flat();
    const { browsers } = await measureCausal(
      page,
      {
        ...versionsDefaults,
        browsers: ['chromium'],
        inventory: defaultInventory(),
        database: join(folder, 'farm.db'),
        measure: ['measure:work'],
        functions: tasks.map(({ name }) => name),
        command: 'npm run bench -- causal',
        seed,
        maxBlocks: 10,
      },
      { signal: new AbortController().signal, say: () => undefined },
    );
    return browsers[0]?.functions ?? [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of a page that does the work of a graph once it has loaded, and its workers are there. */
function writeGraph(graph: Graph): Readonly<Record<string, string>> {
  const tasks = graph.flat();
  const inWorkers = tasks.filter(({ place }) => place === 'worker' || place === 'unheeded');
  const spin =
    'const spin = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };';
  const define = ({ name, ms, calls }: Task): string =>
    `function ${name}() { spin(${String(ms / calls)}); }`;
  const call = ({ name, calls }: Task): string =>
    `for (let i = 0; i < ${String(calls)}; i++) ${name}();`;
  const begin = (task: Task): string => {
    const { name, place } = task;
    if (place === 'main') return call(task);
    if (place === 'timer') {
      return `parts.push(new Promise((done) => setTimeout(() => { ${call(task)} done(); }, ${String(timerMs)})));`;
    }
    return `${place === 'worker' ? `parts.push(answer(${name}Worker)); ` : ''}${name}Worker.postMessage(1);`;
  };
  const steps = graph.map((step) => {
    // The main thread is busy once the others have begun.
    const order = step.toSorted(
      (one, other) => Number(one.place === 'main') - Number(other.place === 'main'),
    );
    return `{ const parts = []; ${order.map(begin).join(' ')} await Promise.all(parts); }`;
  });
  const page = `<!doctype html><html lang="en"><title>graph</title><body><script type="module">
${spin}
${tasks
  .filter((one) => !inWorkers.includes(one))
  .map(define)
  .join('\n')}
const answer = (worker) => new Promise((done) => { worker.onmessage = done; });
${inWorkers.map(({ name }) => `const ${name}Worker = new Worker('${name}.js'); await answer(${name}Worker);`).join('\n')}
await new Promise((done) => setTimeout(done, 300));
performance.mark('begin');
${steps.join('\n')}
performance.measure('work', 'begin');
</script>`;
  const workers = inWorkers.map((task) => [
    `${task.name}.js`,
    `${spin}\n${define(task)}\nonmessage = () => { ${call(task)} postMessage(1); };\npostMessage(0);\n`,
  ]);
  return { 'index.html': page, ...(Object.fromEntries(workers) as Record<string, string>) };
}
