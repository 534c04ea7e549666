import type { SeededGenerator } from '../core/analysis/stats/random.ts';

/** A function of a generated page. */
export interface Task {
  readonly name: string;
  readonly place: 'main' | 'worker' | 'timer' | 'unheeded';
  /** Milliseconds of one call. */
  readonly callMs: number;
  /** Cost of a millisecond in it: the share of its calls that are on the longest path. */
  readonly slope: number;
}

interface Calls {
  readonly task: Task;
  readonly times: number;
}

/** Steps one after the other; the calls of a step begin together, and the next waits for all of them. */
export type Graph = readonly (readonly Calls[])[];

/** Milliseconds: what is on the path, and outside of it so much less that the longest delay changes nothing. */
const lengths = { longest: [38, 48], shorter: [4, 10], last: [6, 14], unheeded: [10, 70] } as const;

/** Generates a page of work on the main thread, in workers, after timers, and where nothing waits for it. */
export function makeGraph(generator: SeededGenerator): Graph {
  let made = 0;
  const name = (place: string): string => {
    made += 1;
    return `${place}${String(made)}`;
  };
  const call = (place: Task['place'], length: keyof typeof lengths, slope: number): Calls => {
    const [least, most] = lengths[length];
    const ms = least + generator.nextInt(most - least + 1);
    const times = 1 + generator.nextInt(4) ** 3;
    return { task: { name: name(place), place, callMs: ms / times, slope }, times };
  };
  const kinds: readonly (() => readonly Calls[])[] = [
    () => [call('worker', 'longest', 1), call('main', 'shorter', 0)],
    () => [call('main', 'longest', 1), call('worker', 'shorter', 0)],
    () => [call('timer', 'last', 1), call('main', 'shorter', 0)],
  ];
  const two = generator.shuffle(kinds).slice(0, 2);
  const unheeded = generator.nextInt(2) === 0 ? [[call('unheeded', 'unheeded', 0)]] : [];
  const isShared = generator.nextInt(3) === 0;
  if (!isShared) return [...unheeded, ...two.map((make) => make())];
  // Called where the main thread is waited for, and where a worker is.
  const [on, beside] = [1 + generator.nextInt(3), 1 + generator.nextInt(3)];
  const shared: Task = {
    name: name('shared'),
    place: 'main',
    callMs: 2,
    slope: on / (on + beside),
  };
  return [
    ...unheeded,
    [call('main', 'longest', 1), { task: shared, times: on }],
    [call('worker', 'longest', 1), { task: shared, times: beside }],
  ];
}

/** The functions of a graph, with the milliseconds that a profile shows of each. */
export function listTasks(graph: Graph): readonly (Task & { readonly ms: number })[] {
  const tasks = new Map(graph.flat().map(({ task }) => [task.name, task]));
  return [...tasks.values()].map((task) => {
    const own = graph.flat().filter((one) => one.task.name === task.name);
    return { ...task, ms: own.reduce((sum, { times }) => sum + times * task.callMs, 0) };
  });
}

/** Milliseconds after which a timer fires; the main thread has long ended by then. */
const timerMs = 40;

/**
 * Counts the threads that are busy at once: on fewer cores a function that nothing waits for slows down
 * others by taking a core, and its slope is not 0. A step has two, and one until its timer fires.
 */
export function countBusyThreads(graph: Graph): number {
  const [unheeded] = graph.flat().filter(({ task: { place } }) => place === 'unheeded');
  if (unheeded === undefined) return 2;
  const beginsWithTimer = graph[1]?.some(({ task: { place } }) => place === 'timer') ?? false;
  const isOverByThen = unheeded.times * unheeded.task.callMs < timerMs;
  return beginsWithTimer && isOverByThen ? 2 : 3;
}

/** The files of a page that does the work of a graph once it has loaded, and its workers are there. */
export function writeGraph(graph: Graph): Readonly<Record<string, string>> {
  const tasks = listTasks(graph);
  const inWorkers = graph
    .flat()
    .filter(({ task: { place } }) => place === 'worker' || place === 'unheeded');
  const isInWorker = (task: Pick<Task, 'name'>): boolean =>
    inWorkers.some((one) => one.task.name === task.name);
  const spin =
    'const spin = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };';
  const define = ({ name, callMs }: Task): string =>
    `function ${name}() { spin(${String(callMs)}); }`;
  const call = ({ task, times }: Calls): string =>
    `for (let i = 0; i < ${String(times)}; i++) ${task.name}();`;
  const begin = (one: Calls): string => {
    const { name, place } = one.task;
    if (place === 'main') return call(one);
    if (place === 'timer') {
      return `parts.push(new Promise((done) => setTimeout(() => { ${call(one)} done(); }, ${String(timerMs)})));`;
    }
    return `${place === 'worker' ? `parts.push(answer(${name}Worker)); ` : ''}${name}Worker.postMessage(1);`;
  };
  const steps = graph.map((step) => {
    // The main thread is busy once the others have begun.
    const order = step.toSorted(
      (one, other) => Number(one.task.place === 'main') - Number(other.task.place === 'main'),
    );
    return `{ const parts = []; ${order.map(begin).join(' ')} await Promise.all(parts); }`;
  });
  const page = `<!doctype html><html lang="en"><title>graph</title><body><script type="module">
${spin}
${tasks
  .filter((task) => !isInWorker(task))
  .map(define)
  .join('\n')}
const answer = (worker) => new Promise((done) => { worker.onmessage = done; });
${inWorkers.map(({ task: { name } }) => `const ${name}Worker = new Worker('${name}.js'); await answer(${name}Worker);`).join('\n')}
await new Promise((done) => setTimeout(done, 100));
performance.mark('begin');
${steps.join('\n')}
performance.measure('work', 'begin');
</script>`;
  const workers = inWorkers.map((one) => [
    `${one.task.name}.js`,
    `${spin}\n${define(one.task)}\nonmessage = () => { ${call(one)} postMessage(1); };\npostMessage(0);\n`,
  ]);
  return { 'index.html': page, ...(Object.fromEntries(workers) as Record<string, string>) };
}
