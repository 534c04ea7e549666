import { test, expect } from '@playwright/test';
import { stripVTControlCharacters } from 'node:util';
import { type Job, timeKey } from '../../model/plan.ts';
import {
  aCase,
  aFoundDevice,
  aJob,
  aMissingDevice,
  aPlan,
  aQuarantinedTrial,
  aTrial,
} from '../../../testing/builders.ts';
import type { RunListener } from '../listener.ts';
import { guardListener } from './guard.ts';
import { jsonLines } from './json-lines.ts';
import { onlyColoured } from './plain-text.ts';
import { RestOfRun } from './rest.ts';
import { terminalProgress } from './terminal.ts';
import { formatDuration, TimeLeft } from './time-left.ts';

const jobs = [aJob(), aJob({ ordinal: 1 })];
const plan = aPlan(jobs, [aFoundDevice('one')]);
const cells = { planned: 2, completed: 1, failed: 1, timedOut: 0, skipped: 0 };
const hostile = aTrial(jobs[1]!, {
  kind: 'failed',
  failure: { code: 'page-error', message: 'bad \u001b[2Jthing\nnext' },
});

function play(live: boolean): string[] {
  const lines: string[] = [];
  const screen = {
    line: (text: string) => lines.push(text),
    status: (text: string) => lines.push(`~${text}`),
    done: () => undefined,
  };
  const progress = terminalProgress(screen, live);
  progress.onRunStarted?.({ run: 7, plan });
  progress.onTrialStarted?.({ job: jobs[0]! });
  progress.onTrialEnded?.({ trial: aTrial(jobs[0]!, [1]) });
  progress.onTrialStarted?.({ job: jobs[1]! });
  progress.onTrialEnded?.({ trial: hostile });
  progress.onRunEnded?.({ run: 7, cells, devices: [], interrupted: false });
  return lines.map(stripVTControlCharacters);
}

test('away from a terminal every trial is a plain line with the time left', () => {
  const lines = play(false);
  expect(lines[0]).toMatch(/^run 7\b.*2 trials.*1 block.*session.*seed 1$/);
  expect(lines[1]).toMatch(
    /^\[1\/2\] one  fib function=asyncFib n=12 .*completed in 1 s .*1 s left/,
  );
  expect(lines.at(-1)).toMatch(/^run 7 finished.*1 completed, 1 failed.* 2\b/);
});

test('on a terminal the status shows progress and lines are troubles', () => {
  const lines = play(true);
  expect(lines.filter((line) => line.startsWith('~'))).toEqual([
    '~[0/2] one  fib function=asyncFib n=12',
    '~[1/2] one  fib function=asyncFib n=12  1 s left',
  ]);
  expect(lines.filter((line) => line.includes('completed in'))).toEqual([]);
});

test('text of a page cannot move the cursor or break a line', () => {
  const line = play(false).find((text) => text.includes('failed:'));
  // The sequence that clears a screen is gone as a whole.
  expect(line).toContain('failed: bad thing next');
});

test('reports a waiting device once, on a terminal at every look', () => {
  const told = (live: boolean): string[] => {
    const lines: string[] = [];
    const line = (text: string): number => lines.push(stripVTControlCharacters(text));
    const progress = terminalProgress({ line, status: line, done: () => undefined }, live);
    const wait = { deviceId: 'one', why: 'it is too hot, 43.0 °C' };
    progress.onWaiting?.({ ...wait, leftMs: 300_000 });
    progress.onWaiting?.({ ...wait, leftMs: 295_000 });
    progress.onTrialEnded?.({ trial: aTrial(jobs[0]!, [1]) });
    progress.onWaiting?.({ ...wait, leftMs: 300_000 });
    return lines.filter((text) => text.includes('waited for'));
  };
  expect(told(false)).toHaveLength(2);
  expect(told(false)[0]).toMatch(/^one .*it is too hot, 43\.0 °C.*5 min 00 s/);
  expect(told(true)).toHaveLength(3);
  const lines: string[] = [];
  jsonLines((text) => lines.push(text)).onWaiting?.({ deviceId: 'one', why: 'hot', leftMs: 9.6 });
  expect(JSON.parse(lines[0]!)).toEqual({
    type: 'waiting',
    device: 'one',
    reason: 'hot',
    leftMs: 10,
  });
});

const unused = { planned: 2, completed: 0, failed: 0, timedOut: 0, skipped: 2 };
const devices = [
  { deviceId: 'one', driver: 'open', browser: 'chromium 156.0', cells },
  { deviceId: 'two', driver: 'webdriver', browser: null, cells: unused },
];

function readEnd(columns?: number): readonly string[] {
  const lines: string[] = [];
  const line = (text: string): number => lines.push(stripVTControlCharacters(text));
  const width = columns === undefined ? {} : { columns };
  const screen = { line, status: line, done: () => undefined, ...width };
  const progress = terminalProgress(screen, true);
  progress.onRunEnded?.({ run: 7, cells, devices, interrupted: false });
  return lines;
}

test('ends a run of several devices with a table of them', () => {
  const [total, ...table] = readEnd();
  expect(total).toMatch(/^run 7 finished.*1 completed, 1 failed.* 2\b/);
  const words = table.map((line) => line.match(/[\w.]+/g)?.join(' ')).filter(Boolean);
  expect(words).toEqual([
    'device driver browser completed failed skipped',
    'one open chromium 156.0 1 1 0',
    'two webdriver missing 0 0 2',
  ]);
});

test('on a narrow terminal it is one line for each device', () => {
  expect(readEnd(40).slice(1)).toEqual([
    'one by open: 1 completed, 1 failed',
    'two by webdriver: 0 completed, 2 skipped',
  ]);
});

test('JSON lines end with run-finished and its cells', () => {
  const lines: string[] = [];
  const progress = jsonLines((line) => lines.push(line));
  progress.onRunStarted?.({ run: 7, plan });
  progress.onTrialEnded?.({ trial: hostile });
  progress.onRunEnded?.({ run: 7, cells, devices, interrupted: false });
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'run-started',
    'trial-ended',
    'run-finished',
  ]);
  expect(JSON.parse(lines[2]!)).toEqual({
    type: 'run-finished',
    run: 7,
    cells,
    interrupted: false,
    devices: [
      { device: 'one', driver: 'open', browser: 'chromium 156.0', cells },
      { device: 'two', driver: 'webdriver', browser: null, cells: unused },
    ],
  });
});

test('reports a quarantined trial with reasons and counts its repeat', () => {
  const trial = aQuarantinedTrial(jobs[0]!, [1]);
  const repeat = { ...jobs[0]!, ordinal: 2, repeats: 0 };
  const reasons = ['it was busy'];
  const tell = (listener: RunListener): void => {
    listener.onRunStarted?.({ run: 7, plan });
    listener.onTrialEnded?.({ trial });
    listener.onTrialQuarantined?.({ trial, reasons, repeat });
    listener.onTrialEnded?.({ trial: aTrial(repeat, [1]) });
  };
  const json: string[] = [];
  tell(jsonLines((line) => json.push(line)));
  const [, , quarantined, ended] = json.map((line) => JSON.parse(line) as object);
  expect(quarantined).toMatchObject({ type: 'quarantined-trial', cell: 0, reasons, repeat: 2 });
  expect(ended).toMatchObject({ type: 'trial-ended', cell: 2, repeats: 0 });

  const lines: string[] = [];
  const screen = { line: (text: string) => lines.push(text), status: () => 0, done: () => 0 };
  tell(guardListener(terminalProgress(screen, false), (text) => lines.push(text)));
  const shown = lines.map((line) => stripVTControlCharacters(line));
  expect(shown.join('\n')).toMatch(/^quarantined.*\bone\b.*it was busy.*once more/m);
  expect(shown.at(-1)).toContain(`[2/${String(plan.jobs.length + 1)}]`);
});

test('reports a broken listener once, and still passes on other events', () => {
  const complaints: string[] = [];
  const heard: string[] = [];
  const listener = guardListener(
    {
      onTrialStarted: () => {
        throw new Error('no terminal');
      },
      onTrialEnded: () => heard.push('ended'),
    },
    (text) => complaints.push(text),
  );
  listener.onTrialStarted?.({ job: jobs[0]! });
  listener.onTrialStarted?.({ job: jobs[0]! });
  listener.onTrialEnded?.({ trial: hostile });
  expect(complaints).toEqual([expect.stringMatching(/progress.*no terminal$/)]);
  expect(heard).toEqual(['ended']);
});

const slowAndFast = ['slow', 'slow', 'fast', 'fast'].map((deviceId, ordinal) =>
  aJob({ deviceId, ordinal }),
);
const [slowJob, secondSlow, fastJob, secondFast] = slowAndFast as [Job, Job, Job, Job];

test('time left is estimated for each device from its own trials', () => {
  const presences = [aFoundDevice('slow'), aFoundDevice('fast')];
  const left = new TimeLeft({ jobs: slowAndFast, presences });
  left.note(slowJob, 9_000);
  left.note(fastJob, 1_000);
  expect(left.estimate()).toBe(10_000);
  left.note(secondSlow, 9_000);
  left.note(secondFast, 1_000);
  expect(left.estimate()).toBe(0);
});

test('estimates time left by case from this or earlier runs', () => {
  const [short, long] = [aCase(1), aCase(30)];
  const jobs = [short, long, short, long].map((one, ordinal) =>
    aJob({ ordinal, deviceId: 'one', case: one }),
  );
  const missing = [4, 5].map((ordinal) => aJob({ ordinal, deviceId: 'gone' }));
  const presences = [aFoundDevice('one'), aMissingDevice('gone')];
  const plan = { jobs: [...jobs, ...missing], presences };
  const lately = new Map([
    [timeKey(jobs[0]!), 1_000],
    [timeKey(jobs[1]!), 60_000],
  ]);
  const fresh = new TimeLeft(plan);
  expect(fresh.isKnown()).toBe(false);
  const left = new TimeLeft(plan, lately);
  expect(left.isKnown()).toBe(true);
  expect(left.estimate()).toBe(122_000);
  left.note(jobs[0]!, 3_000);
  expect(left.estimate()).toBe(123_000);
  left.note(missing[0]!, null);
  expect(left.estimate()).toBe(123_000);
  // Skipped trials are skipped again.
  left.note(jobs[1]!, null);
  expect(left.estimate()).toBe(3_000);
});

test('machines work side by side: the time left is that of the slowest', () => {
  const phone = (id: string) => aFoundDevice(id, { phone: { platform: 'android', udid: id } });
  const presences = [phone('slow'), phone('fast')];
  const left = new TimeLeft({ jobs: slowAndFast, presences });
  left.note(slowJob, 9_000);
  left.note(fastJob, 1_000);
  expect(left.estimate()).toBe(9_000);
});

test('on a terminal the status names what runs on every machine', () => {
  const shown: string[] = [];
  const screen = { line: () => 0, status: (text: string) => shown.push(text), done: () => 0 };
  const progress = terminalProgress(screen, true);
  const [first, second] = [aJob({ deviceId: 'a' }), aJob({ ordinal: 1, deviceId: 'b' })];
  progress.onRunStarted?.({ run: 7, plan: aPlan([first, second], []) });
  progress.onTrialStarted?.({ job: first });
  progress.onTrialStarted?.({ job: second });
  progress.onTrialEnded?.({ trial: aTrial(second, [1]) });
  expect(shown.map(stripVTControlCharacters)).toEqual([
    '[0/2] a  fib function=asyncFib n=12',
    '[0/2] a  fib function=asyncFib n=12 · b  fib function=asyncFib n=12',
    '[1/2] a  fib function=asyncFib n=12  1 s left',
  ]);
});

test('reports a missing device once and leaves its trials out of progress', () => {
  const lines: string[] = [];
  const line = (text: string): number => lines.push(stripVTControlCharacters(text));
  const progress = terminalProgress({ line, status: line, done: () => undefined }, false);
  const gone = [1, 2].map((ordinal) => aJob({ ordinal, deviceId: 'gone' }));
  const here = aJob();
  const presences = [aFoundDevice('one'), aMissingDevice('gone')];
  progress.onRunStarted?.({ run: 7, plan: aPlan([here, ...gone], presences) });
  const skipped = { kind: 'skipped', reason: 'gone is not installed', remedy: '' } as const;
  for (const job of gone) progress.onTrialEnded?.({ trial: aTrial(job, skipped) });
  progress.onTrialEnded?.({ trial: aTrial(here, [1]) });
  expect(lines.filter((text) => text.includes('gone'))).toEqual([
    'gone  skipped: gone is not installed',
  ]);
  expect(lines.at(-1)).toMatch(/^\[1\/1\] one /);
});

test('durations are written for people', () => {
  expect([400, 45_000, 200_000, 3_900_000].map(formatDuration)).toEqual([
    '0 s',
    '45 s',
    '3 min 20 s',
    '1 h 05 min',
  ]);
});

test('reports longer windows in one line, and includes them in the time left', () => {
  const lines: string[] = [];
  const line = (text: string): number => lines.push(stripVTControlCharacters(text));
  const chosen = { firstMs: 300, thenMs: 1_612 };
  const told = guardListener(
    terminalProgress({ line, status: line, done: () => undefined }, false),
    line,
  );
  told.onWindowChosen?.(chosen);
  expect(lines).toEqual([expect.stringMatching(/timed for 1\.6 s .*\b0\.3 s/)]);
  jsonLines((text) => lines.push(text)).onWindowChosen?.(chosen);
  expect(JSON.parse(lines[1]!)).toEqual({ type: 'window-chosen', ...chosen });

  const left = new TimeLeft(plan);
  left.note(jobs[0]!, 3_000);
  left.lengthen(1_500);
  expect(left.estimate()).toBe(4_500);
});

/** A comparison of 100 blocks at most, each of two trials of a second. */
const longest = {
  ...aPlan(
    Array.from({ length: 200 }, (_, ordinal) => aJob({ ordinal, block: Math.floor(ordinal / 2) })),
    [aFoundDevice('one')],
  ),
  blocks: 100,
};

test('a look stays below the status, and its time left is that of the decision', () => {
  const statuses: string[] = [];
  const status = (text: string): number => statuses.push(stripVTControlCharacters(text));
  const screen = { line: () => undefined, status, done: () => undefined };
  const told = terminalProgress(screen, true, () => 0);
  told.onRunStarted?.({ run: 7, plan: longest, mayEndEarly: true });
  told.onLook?.({
    lines: ['one  new.html  ≈ 20 % slower so far'],
    blocks: 31,
    budgetMs: null,
    found: null,
  });
  told.onTrialEnded?.({ trial: aTrial(longest.jobs[0]!, [1]) });
  told.onTrialStarted?.({ job: longest.jobs[1]! });
  // Trials of the blocks that are foreseen, and not of those that there may be at most.
  expect(statuses.at(-1)?.split('\n')).toEqual([
    expect.stringMatching(/^\[1\] one .*≈ 1 min 01 s left$/),
    'one  new.html  ≈ 20 % slower so far',
  ]);
});

test('time left is at most that of the budget, and at most that of all blocks if unforeseen', () => {
  let now = 0;
  const rest = new RestOfRun(() => now);
  rest.onRunStarted({ run: 7, plan: longest, mayEndEarly: true });
  rest.onTrialEnded({ trial: aTrial(longest.jobs[0]!, [1]) });
  rest.onLook({ lines: [], blocks: 91, budgetMs: 90_000, found: null });
  now = 30_000;
  expect(rest.describe()).toBe('≈ 1 min 00 s left');
  // The rest of a block that has begun is measured in any case.
  now = 95_000;
  expect(rest.describe()).toBe('≈ 1 s left');
  rest.onLook({ lines: [], blocks: null, budgetMs: null, found: null });
  expect(rest.describe()).toBe('at most 3 min 19 s left');
});

test('away from a terminal each look is lines, and JSON has an event', () => {
  const lines: string[] = [];
  const line = (text: string): number => lines.push(stripVTControlCharacters(text));
  const look = {
    lines: ['one  new.html  50 % slower, decided'],
    blocks: null,
    budgetMs: null,
    found: null,
  };
  terminalProgress({ line, status: line, done: () => undefined }, false).onLook?.(look);
  expect(lines).toEqual(look.lines);
  jsonLines((text) => lines.push(text)).onLook?.(look);
  const { lines: said, blocks } = look;
  expect(JSON.parse(lines[1]!)).toEqual({ type: 'look', lines: said, blocks, leftMs: null });
});

test('foreign text may colour a terminal, and do nothing else to it', () => {
  const colours = '\u001b[31mred\u001b[39m\n\tnext';
  expect(onlyColoured(colours)).toBe(colours);
  for (const hostile of [
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u009b2J',
    '\u001bc',
    '\u001b[8m',
    '\u001b[30;40m',
    '\r',
    '\u202e',
  ])
    expect(onlyColoured(`a${hostile}b`), JSON.stringify(hostile)).toMatch(/^a ?b$/);
  // The rest of an escape within another is text.
  expect(onlyColoured('\u001b[\u001b[8m8m')).not.toContain('\u001b');
});
