/** A task graph on a played machine: the scripts that `causal` writes are really run there. */
import { expect, test } from '@playwright/test';
import { measureGraph } from './causal.ts';
import { countBusyThreads, type Graph, type Task } from './task-graphs.ts';

const worker: Task = { name: 'render', place: 'worker', callMs: 10, slope: 1 };
const beside: Task = { name: 'prepare', place: 'main', callMs: 0.1, slope: 0 };
const last: Task = { name: 'finish', place: 'timer', callMs: 8, slope: 1 };

/** A worker is waited for, and work beside it is not; then a timer. */
const graph: Graph = [
  [
    { task: worker, times: 4 },
    { task: beside, times: 60 },
  ],
  [{ task: last, times: 1 }],
];

test('finds what functions cost on the longest path of a page, and beside it', async () => {
  const found = await measureGraph(graph, 'played', { seed: 1, maxBlocks: 10 });
  expect(found.map(({ task }) => task.name)).toEqual(['render', 'prepare', 'finish']);
  for (const { task, slope } of found) {
    expect(Math.abs((slope?.value ?? NaN) - task.slope), task.name).toBeLessThan(0.1);
    expect(slope?.low, task.name).toBeLessThanOrEqual(task.slope);
    expect(slope?.high, task.name).toBeGreaterThanOrEqual(task.slope);
  }
});

test('knows which graphs keep a third thread busy, so that two cores cannot play them', () => {
  const unheeded = (callMs: number): Graph[number] => [
    { task: { name: 'log', place: 'unheeded', callMs, slope: 0 }, times: 2 },
  ];
  const timerFirst = graph.toReversed();
  expect(countBusyThreads(graph)).toBe(2);
  expect(countBusyThreads([unheeded(10), ...graph])).toBe(3);
  expect(countBusyThreads([unheeded(10), ...timerFirst])).toBe(2);
  expect(countBusyThreads([unheeded(30), ...timerFirst])).toBe(3);
});
