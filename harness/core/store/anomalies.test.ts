import { expect, test } from '@playwright/test';
import { FarmError } from '../errors.ts';
import type { AnomalyFacts } from '../model/anomaly.ts';
import type { Target } from '../model/device.ts';
import type { Question } from '../model/question.ts';
import { connect, type Connection } from './connection.ts';
import { benchmark, makeFacts, makeJobs } from './fixtures/example.ts';
import { migrate } from './migrate.ts';
import { createStore, type Store } from './store.ts';

let connection: Connection;
let store: Store;

test.beforeEach(async () => {
  connection = await connect(test.info().outputPath('farm.db'));
  await migrate(connection);
  store = createStore(connection);
});

test.afterEach(() => store.close());

const lane = { case: { benchmark, parameters: { function: 'asyncFib', n: 20 } } };

const question: Omit<Question, 'id' | 'title'> = {
  sentence: 'slow "there"',
  source: 'this farm, run 1',
  published: '1.5×',
  assertions: [
    {
      kind: 'ratio',
      sentence: 'it is slower',
      role: 'verdict',
      quantity: 'duration',
      expected: { above: 1 },
      published: { text: '1.5×', low: 1.4, high: 1.6 },
      a: { ...lane, deviceId: 'old' },
      b: { ...lane, deviceId: 'new' },
    },
  ],
  counterfactuals: [],
  notes: [],
  measurement: {
    iterations: 3,
    minIterations: 1,
    maxTimedMs: 1_000,
    minGranules: 100,
    warmUp: { minIterations: 1, maxIterations: 3, maxMs: 500 },
  },
};

const targets: readonly Target[] = makeFacts([]).presences.flatMap((one) =>
  one.status === 'found' ? [one.target] : [],
);

const createdAt = '2026-11-21T00:00:00.000Z';
const changedAt = '2026-11-22T00:00:00.000Z';

async function facts(overrides: Partial<AnomalyFacts> = {}): Promise<AnomalyFacts> {
  const run = await store.createRun(makeFacts(makeJobs(1)));
  return { run, sentence: 'slow "there"', question, targets, createdAt, ...overrides };
}

test('reads an anomaly back as saved, with its id in its question', async () => {
  const saved = await facts();
  expect(await store.saveAnomaly(saved)).toBe('N1');
  expect(await store.readAnomaly('N1')).toEqual({
    ...saved,
    id: 'N1',
    question: { ...question, id: 'N1', title: 'Anomaly N1' },
    state: 'untriaged',
    reason: null,
    changedAt: createdAt,
  });
});

test('anomalies are listed, the newest first, and no number is given twice', async () => {
  for (const sentence of ['one', 'two']) await store.saveAnomaly(await facts({ sentence }));
  await connection.transaction('write', () => connection.all('DELETE FROM anomaly WHERE id = 2'));
  expect(await store.saveAnomaly(await facts({ sentence: 'three' }))).toBe('N3');
  const listed = await store.listAnomalies();
  expect(listed.map(({ id, sentence }) => [id, sentence])).toEqual([
    ['N3', 'three'],
    ['N1', 'one'],
  ]);
});

test('a state has its reason and its time', async () => {
  await store.saveAnomaly(await facts());
  await store.changeAnomaly('N1', { state: 'ignored', reason: 'known', changedAt });
  expect(await store.readAnomaly('n1')).toMatchObject({
    state: 'ignored',
    reason: 'known',
    createdAt,
    changedAt,
  });
});

test('says how to save an anomaly when none is', async () => {
  await expect(store.readAnomaly('N1')).rejects.toMatchObject({
    code: 'unknown-anomaly',
    next: expect.stringContaining('npx crossfarm compare A B --save') as unknown,
  });
});

for (const id of ['N2', 'N0', 'N-1', 'A3', '1', '', "N1' OR 1"]) {
  test(`names the existing anomalies when ${JSON.stringify(id)} is unknown`, async () => {
    await store.saveAnomaly(await facts());
    const change = { state: 'closed', reason: 'x', changedAt } as const;
    for (const asked of [store.readAnomaly(id), store.changeAnomaly(id, change)]) {
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FarmError);
      expect(error).toMatchObject({
        code: 'unknown-anomaly',
        next: expect.stringContaining('Known: N1.'),
      });
    }
    expect(await store.readAnomaly('N1')).toMatchObject({ state: 'untriaged' });
  });
}

test('an anomaly outlives the run that it was found in', async () => {
  const saved = await facts();
  await store.saveAnomaly(saved);
  await connection.transaction('write', () =>
    connection.all('DELETE FROM run WHERE id = ?', [saved.run]),
  );
  expect(await store.readAnomaly('N1')).toMatchObject({
    run: null,
    question: { sentence: 'slow "there"' },
  });
});

test('refuses a state without its reason and a missing run', async () => {
  await store.saveAnomaly(await facts());
  const sql = (text: string): Promise<unknown> =>
    connection.transaction('write', () => connection.all(text));
  await expect(sql("UPDATE anomaly SET state = 'closed'")).rejects.toThrow(/CHECK/);
  await expect(sql("UPDATE anomaly SET state = 'odd', reason = 'x'")).rejects.toThrow(/CHECK/);
  await expect(store.saveAnomaly(await facts({ run: 99 }))).rejects.toThrow(/FOREIGN KEY/);
});
