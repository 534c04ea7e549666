import { expect, test } from '@playwright/test';
import { z } from 'zod';
import type { Store } from '../../store/store.ts';
import { useTestApi } from '../../../testing/api.ts';
import { aCase, aFoundDevice, aJob, aMachine, aRecord, aTrial } from '../../../testing/builders.ts';

/**
 * A client that knows nothing of this farm: paths, parameters and forms of answers are those that the
 * study's own description names (README.md of https://github.com/m1010j/async-explorations, "API").
 */

const row = z.strictObject({
  id: z.int(),
  browser: z.string().regex(/^\S.* \d/),
  os: z.string().min(1),
  num_cores: z.int().min(1),
  n: z.int(),
  duration: z.number().min(0),
});

type Row = z.infer<typeof row>;

const success = { status: z.literal('success'), message: z.string().min(1) };

/** The study rounded to two decimals; a call of microseconds needs more, which a reader parses alike. */
const decimal = z.string().regex(/^\d+(\.\d+)?$/);

const theirs = {
  paths: [
    '/api/sync_benchmarks',
    '/api/sync_busy_benchmarks',
    '/api/sync_memo_benchmarks',
    '/api/async_benchmarks',
    '/api/async_busy_benchmarks',
    '/api/async_memo_benchmarks',
  ],
  list: z.strictObject({ ...success, data: z.array(row) }),
  one: z.strictObject({ ...success, data: row }),
  byN: z.strictObject({ ...success, data: z.record(z.string().regex(/^\d+$/), decimal) }),
  examples: {
    raw: '/api/async_busy_benchmarks?browser=chrome&os=windows&max_n=5&num_cores=12',
    means: '/api/async_busy_benchmarks?mode=avg&browser=firefox&os=linux&max_n=10&num_cores=12',
  },
} as const;

const async = '/api/async_benchmarks';

const { shared } = useTestApi(storeAllFunctions);

const functions = [
  ...['syncFib', 'syncBusyFib', 'syncMemoFib', 'asyncFib', 'asyncBusyFib', 'asyncMemoFib'],
];

/** One trial of each function for n = 1 to 5, in Chrome and in Firefox on Linux. */
async function storeAllFunctions(store: Store): Promise<void> {
  const presences = [
    aFoundDevice('chrome', { browser: 'chrome' }),
    aFoundDevice('firefox', { browser: 'firefox' }),
  ];
  const cells = functions.flatMap((name) =>
    [1, 2, 3, 4, 5].flatMap((n) =>
      presences.map(({ device }) => ({ case: aCase(n, name), deviceId: device.id })),
    ),
  );
  const jobs = cells.map((cell, ordinal) => aJob({ ...cell, ordinal, block: 0 }));
  const { run } = aRecord(presences, []);
  const id = await store.createRun({ ...run, machine: aMachine, presences, jobs });
  for (const job of jobs) {
    await store.writeTrial(id, aTrial(job, [Number(job.case.parameters['n']) + 0.125]));
  }
  await store.finishRun(id, 'finished', '2026-11-22T02:00:00.000Z');
}

async function ask(path: string): Promise<unknown> {
  const answer = await shared().get(path);
  expect(answer.statusCode, path).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
  return answer.json();
}

const listOf = async (query: string, path: string = async): Promise<readonly Row[]> =>
  theirs.list.parse(await ask(`${path}${query}`)).data;

for (const path of theirs.paths) {
  test(`${path}: raw data have the described form, and none more`, async () => {
    const rows = await listOf('', path);
    expect(rows.length).toBeGreaterThan(0);
  });

  test(`${path}/:id: one result has it`, async () => {
    const [first] = await listOf('', path);
    const one = theirs.one.parse(await ask(`${path}/${String(first!.id)}`));
    expect(one.data).toEqual(first);
  });

  for (const mode of ['avg', 'min']) {
    test(`${path}?mode=${mode}: times by n, as texts of four digits`, async () => {
      const { data } = theirs.byN.parse(await ask(`${path}?mode=${mode}&browser=chrome`));
      expect(data).toEqual({ 1: '1.125', 2: '2.125', 3: '3.125', 4: '4.125', 5: '5.125' });
    });
  }

  for (const [parameter, value, isAsked] of filters()) {
    test(`${path}?${parameter}=${value}: only such results, and some`, async () => {
      const query = `?${parameter}=${encodeURIComponent(value)}`;
      const rows = await listOf(query, path);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((row) => !isAsked(row))).toEqual([]);
    });
  }
}

/** Every described parameter that narrows, with each kind of value that is described. */
function filters(): readonly (readonly [
  name: string,
  value: string,
  isAsked: (row: Row) => boolean,
])[] {
  return [
    ['browser', 'firefox', ({ browser }) => browser.startsWith('Firefox ')],
    ['browser', 'firefox based', ({ browser }) => browser.startsWith('Firefox')],
    ['browser', 'chromium based', ({ browser }) => /^(Chrome|Chromium) /.test(browser)],
    ['os', 'debian', ({ os }) => os.includes('Debian')],
    ['os', 'linux', ({ os }) => os.startsWith('Linux')],
    ['num_cores', '2', ({ num_cores }) => num_cores === 2],
    ['max_n', '3', ({ n }) => n <= 3],
  ];
}

test('answers a filter without matches with an empty list', async () => {
  expect(await listOf('?browser=opera')).toEqual([]);
  expect(await listOf('?os=ios')).toEqual([]);
  expect(await listOf('?num_cores=12')).toEqual([]);
  const means = await ask(`${async}?mode=avg&browser=opera`);
  expect(theirs.byN.parse(means).data).toEqual({});
});

test('the two described examples are answered', async () => {
  theirs.list.parse(await ask(theirs.examples.raw));
  // This farm's machine has two cores, where the example asks for twelve.
  const means = await ask(theirs.examples.means.replace('num_cores=12', 'num_cores=2'));
  expect(Object.keys(theirs.byN.parse(means).data)).toEqual(['1', '2', '3', '4', '5']);
});
