/** Answers of the API: the analysis, and what one trial left behind. */
import { expect, test } from '@playwright/test';
import type { Reading } from '../../model/reading.ts';
import { completed, makeFacts, makeJobs } from '../../store/fixtures/example.ts';
import { useTestApi, type TestApi } from '../../../testing/api.ts';
import { anEnvironment } from '../../../testing/builders.ts';
import { hostile, storeNight } from '../../../testing/stored-history.ts';
import * as answers from './old-names.ts';
import { problem } from './problems.ts';
import * as details from './trial-routes.ts';

const { own, shared } = useTestApi();

interface RequestOptions {
  readonly api?: Pick<TestApi, 'get'>;
  readonly run?: number;
}

async function findings(query = '', { api = shared(), run = 2 }: RequestOptions = {}) {
  const response = await api.get(`/api/v1/runs/${String(run)}/findings${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return answers.findingsAnswer.parse(response.json());
}

test('findings have ratios to the baseline, with verdict, words, and what went wrong', async () => {
  const api = await own();
  const run = await storeNight(api.store, { startedAt: '2026-11-22T00:00:00.000Z', blocks: 12 });
  const answered = await findings('', { api, run });
  expect(answered).toMatchObject({ run, status: 'finished', baseline: 'chromium', next: null });
  expect(answered.rows).toHaveLength(6);
  const pair = answered.pairs.find((one) => one.case === 'fib function=syncFib n=12')!;
  expect(pair).toMatchObject({ device: 'firefox', baselineDevice: 'chromium', verdict: 'slower' });
  expect(pair.a).toEqual({ targetId: pair.device, caseName: pair.case });
  expect(pair.b).toEqual({ targetId: pair.baselineDevice, caseName: pair.baselineCase });
  expect(pair.ratio).toBeGreaterThan(1.6);
  expect(pair.low!).toBeGreaterThan(1);
  expect(pair.words.verdict).toBe('▼ slower');
  expect(pair.words.ratio).toMatch(/^1\.\d+×$/);
  const [cell] = answered.rows.find((one) => one.case === pair.case)!.cells;
  expect(cell!.measured).toMatchObject({ trials: 12, values: expect.any(Array) as unknown });
  expect(cell!.measured!.words.centre).toMatch(/ms$/);
  expect(answered.troubles.map(({ kind }) => kind)).toContain('failed');
  expect(answered.troubles.find(({ kind }) => kind === 'failed')!.message).toContain(hostile);
  expect(answered.growth[0]!.fits).toHaveLength(4);
  expect(answered.growth[0]!.fits[0]!.words.perStep).toMatch(/×$/);
});

test('with too few blocks findings say how many a verdict takes', async () => {
  const [pair] = (await findings()).pairs;
  expect(pair).toMatchObject({ verdict: 'undecided', low: null, because: 'too-few-blocks' });
  expect(pair!.words.note).toMatch(/of \d+ blocks/);
});

test('another baseline turns the ratios round; one that is not there is refused', async () => {
  const against = await findings('?baseline=firefox&case=fib+function%3DasyncFib+n%3D12');
  expect(against.baseline).toBe('firefox');
  expect(against.pairs).toHaveLength(1);
  expect(against.pairs[0]).toMatchObject({ device: 'chromium', baselineDevice: 'firefox' });
  expect(against.pairs[0]!.ratio).toBeLessThan(1);
  const refused = await shared().get('/api/v1/runs/2/findings?baseline=safari');
  expect(refused.statusCode).toBe(404);
  expect(problem.parse(refused.json()).next).toBe('It found chromium, firefox.');
});

test('findings come in pages, with the pairs of their rows', async () => {
  const seen: string[] = [];
  let url: string | null = '/api/v1/runs/2/findings?limit=4';
  while (url !== null) {
    const response = await shared().get(url);
    const { rows, pairs } = answers.findingsAnswer.parse(response.json());
    const cases = rows.map((one) => one.case);
    expect(pairs.map((one) => one.case).toSorted()).toEqual(cases.toSorted());
    seen.push(...rows.map((one) => one.case));
    url = /^<(.*)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1] ?? null;
  }
  expect(seen).toHaveLength(6);
  expect(new Set(seen).size).toBe(6);
});

test('the pairs come as a table, and are not sent again unchanged', async () => {
  const url = '/api/v1/runs/1/findings';
  const { body, headers } = await shared().get(url, { accept: 'text/csv' });
  const [heading, ...lines] = body.trimEnd().split('\n');
  expect(heading).toMatch(/^case,device,baselineCase,baselineDevice,metric,.*words\.verdict/);
  expect(lines).toHaveLength(6);
  const again = await shared().get(url, {
    accept: 'text/csv',
    'if-none-match': String(headers.etag),
  });
  expect(again.statusCode).toBe(304);
});

test('computes the findings of a running run again when there is more of it', async () => {
  const api = await own();
  const night = { startedAt: '2026-11-22T00:00:00.000Z', blocks: 1, finished: false };
  const run = await storeNight(api.store, night);
  expect((await findings('', { api, run })).status).toBe('running');
  await api.store.finishRun(run, 'finished', '2026-11-22T03:00:00.000Z');
  expect((await findings('', { api, run })).status).toBe('finished');
});

test('answers a change over nights with run, size and date', async () => {
  const api = await own();
  for (let night = 0; night < 16; night += 1) {
    const startedAt = `2026-12-${String(night + 1).padStart(2, '0')}T00:00:00.000Z`;
    const noise = 1 + 0.01 * Math.sin(night * 7);
    const slower = (night < 8 ? 2 : 3) * noise;
    await storeNight(api.store, { startedAt, slower, blocks: 1 });
  }
  const query = 'case=fib+function%3DsyncFib+n%3D12&device=chromium';
  const response = await api.get(`/api/v1/changes?suite=quick&${query}`);
  const answered = answers.changesAnswer.parse(response.json());
  expect(answered).toMatchObject({ suite: 'quick', run: 18, nights: 18, notSearched: null });
  expect(answered.series).toHaveLength(1);
  expect(answered.series[0]).toMatchObject({ device: 'chromium', unit: 'ms', nights: 18 });
  const last = answered.series[0]!.changes.at(-1)!;
  expect(last).toMatchObject({ run: 11, startedAt: '2026-12-09T00:00:00.000Z', state: 'settled' });
  expect(last.ratio).toBeCloseTo(1.5, 1);
  expect(last.words.ratio).toMatch(/^1\.\d+×$/);
  const table = await api.get(`/api/v1/changes?${query}`, { accept: 'text/csv' });
  expect(table.body).toContain('fib function=syncFib n=12,chromium,duration');
  expect(table.body.trimEnd().split('\n')).toHaveLength(1 + answered.series[0]!.changes.length);
});

test('a suite that never finished a run has no changes, and says so', async () => {
  const answered = answers.changesAnswer.parse(
    (await shared().get('/api/v1/changes?suite=nope')).json(),
  );
  expect(answered).toMatchObject({ run: null, notSearched: 'No run of nope has finished.' });
});

const readings: readonly Reading[] = [
  anEnvironment(),
  {
    probe: 'cpu-core',
    wallMs: 40,
    intervalMs: 20,
    costMs: 1,
    snapshots: [{ atMs: 20, busyMs: [19, 0], stealMs: [0, 0] }],
  },
  {
    probe: 'cpu-thread',
    wallMs: 40,
    costMs: 1,
    threads: [
      {
        pid: 7,
        tid: 8,
        process: 'renderer',
        name: hostile.slice(0, 15),
        role: 'js-main',
        cpuMs: 39,
        lastCore: 1,
      },
    ],
    timeline: [{ atMs: 20, cpuMs: { 'js-main': 19 } }],
  },
  { probe: 'trace', notSupported: 'nobody asked for it' },
];

/** Stores a run of one trial, and gives the address of the trial. */
async function aWatchedTrial(api: TestApi): Promise<string> {
  const [job] = makeJobs(1);
  const run = await api.store.createRun(makeFacts([job!]));
  const trial = completed(job!);
  if (trial.outcome.kind !== 'completed') throw new TypeError('a completed trial is completed');
  await api.store.writeTrial(run, { ...trial, outcome: { ...trial.outcome, readings } });
  const { trials } = (await api.get(`/api/v1/trials?run=${String(run)}`)).json<{
    trials: { trial: number }[];
  }>();
  return `/api/v1/trials/${String(trials[0]!.trial)}`;
}

test("answers a trial's samples with warm-up, as JSON and table", async () => {
  const api = await own();
  const url = `${await aWatchedTrial(api)}/samples`;
  const { samples } = details.samples.parse((await api.get(url)).json());
  expect(samples).toEqual([{ metric: 'duration', unit: 'ms', warmUp: [9.5, 4], timed: [1, 2, 3] }]);
  const table = await api.get(url, { accept: 'text/csv' });
  expect(table.body).toContain(',duration,ms,warm-up,0,9.5\n');
  expect(table.body).toContain(',duration,ms,timed,2,3\n');
});

test('a trial has what its probes saw', async () => {
  const api = await own();
  const answer = await api.get(`${await aWatchedTrial(api)}/readings`);
  expect(details.readings.parse(answer.json()).readings).toEqual(readings);
});

for (const url of [
  '/api/v1/runs/99/findings',
  '/api/v1/trials/9999/samples',
  '/api/v1/trials/9999/readings',
]) {
  test(`${url} is 404, as a sentence`, async () => {
    const response = await shared().get(url);
    expect(response.statusCode).toBe(404);
    expect(problem.parse(response.json()).detail).toContain('99');
  });
}

test('says that no device can join the farm', async () => {
  expect((await shared().get('/api/v1/joining')).json()).toEqual({ joining: null });
});
