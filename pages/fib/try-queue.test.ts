import { expect, test } from '@playwright/test';
import { Queue, chooseSteps } from './try-queue.js';

type Options = ConstructorParameters<typeof Queue>[0];

/** A queue whose calls end when the test says so. */
function aQueue({ most = 2 } = {}) {
  const calls: { label: string; end: (ms?: number) => void; fail: (why: string) => void }[] = [];
  const measure: Options['measure'] = ({ function: name, n, place }, signal) =>
    new Promise((resolve, reject) => {
      const point = { n, result: {} as never, beganAt: 0, wallMs: 1 };
      const end = (ms = 1): void => {
        if (signal.aborted) reject(signal.reason as Error);
        else resolve({ ...point, ms });
      };
      calls.push({ label: `${name}(${String(n)})`, end, fail: (why) => reject(new Error(why)) });
      if (place === 'worker') signal.addEventListener('abort', () => end());
    });
  const queue = new Queue({ measure, onChange: () => undefined, most });
  return { queue, calls };
}

function order(name: string, overrides: object = {}) {
  return { name, place: 'worker' as const, ns: [1, 2], together: false, ...overrides };
}

/** Lets promises that are settled be heard. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const statesOf = (queue: Queue): readonly string[] => queue.curves.map(({ state }) => state);

test('curves run one after the other, in their order', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a'), order('b', { ns: [1] })]);
  expect(statesOf(queue)).toEqual(['running', 'queued']);
  for (let call = 0; call < 3; call += 1) {
    calls[call]?.end();
    await settled();
  }
  expect(calls.map(({ label }) => label)).toEqual(['a(1)', 'a(2)', 'b(1)']);
  expect(statesOf(queue)).toEqual(['finished', 'finished']);
  expect(queue.curves.map(({ points }) => points.length)).toEqual([2, 1]);
  expect(queue.curves.some(({ shared }) => shared)).toBe(false);
});

test('curves at one time share the cores, at most as many as there may be', async () => {
  const { queue, calls } = aQueue({ most: 2 });
  const together = { together: true, ns: [1] };
  queue.add([order('a', together), order('b', together), order('c', together)]);
  expect(statesOf(queue)).toEqual(['running', 'running', 'queued']);
  calls[1]?.end();
  await settled();
  expect(statesOf(queue)).toEqual(['running', 'finished', 'running']);
  expect(queue.curves.map(({ shared }) => shared)).toEqual([true, true, true]);
});

test('a curve of the main thread runs alone', async () => {
  const { queue, calls } = aQueue();
  const together = { together: true, ns: [1] };
  queue.add([order('a', together), order('b', { ...together, place: 'main' })]);
  expect(statesOf(queue)).toEqual(['running', 'queued']);
  calls[0]?.end();
  await settled();
  expect(statesOf(queue)).toEqual(['finished', 'running']);
});

test('a cancelled curve ends, and the next one begins', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a'), order('b'), order('c')]);
  calls[0]?.end();
  await settled();
  const [first, second] = queue.curves;
  if (second !== undefined) queue.cancel(second);
  if (first !== undefined) queue.cancel(first);
  await settled();
  expect(statesOf(queue)).toEqual(['cancelled', 'cancelled', 'running']);
  expect(first?.points.map(({ n }) => n)).toEqual([1]);
});

test('on the main thread a cancelled curve ends after its call', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a', { place: 'main' })]);
  const [curve] = queue.curves;
  if (curve !== undefined) queue.cancel(curve);
  await settled();
  expect(curve).toMatchObject({ state: 'running', note: 'stops after this call' });
  calls[0]?.end();
  await settled();
  expect(curve).toMatchObject({ state: 'cancelled', points: [] });
});

test('all curves are cancelled at once, and none begins', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a'), order('b')]);
  queue.cancelAll();
  await settled();
  expect(statesOf(queue)).toEqual(['cancelled', 'cancelled']);
  expect(calls).toHaveLength(1);
});

test('a curve that fails says why, and the next one begins', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a'), order('b')]);
  calls[0]?.fail('out of memory');
  await settled();
  expect(queue.curves[0]).toMatchObject({ state: 'failed', note: 'out of memory' });
  expect(statesOf(queue)).toEqual(['failed', 'running']);
});

test('a curve ends early where one call takes too long', async () => {
  const { queue, calls } = aQueue();
  queue.add([order('a')]);
  calls[0]?.end(30_000);
  await settled();
  expect(queue.curves[0]).toMatchObject({ state: 'finished', points: [{ n: 1 }] });
  expect(queue.curves[0]?.note).toContain('ended at n = 1');
});

test('many n are thinned out, and the last one stays', () => {
  expect(chooseSteps(4)).toEqual([1, 2, 3, 4]);
  expect(chooseSteps(1476).length).toBeLessThanOrEqual(61);
  expect(chooseSteps(1476).at(-1)).toBe(1476);
});
