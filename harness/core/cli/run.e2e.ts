import { test, expect } from '@playwright/test';
import { readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  farm,
  leftRunning,
  somePages,
  startFarm,
  type FinishedCommand,
} from '../../testing/farm.ts';

const noChromium = findOnPath(['chromium', 'chromium-browser']) === null;
test.skip(noChromium, 'Chromium is not installed here; npx crossfarm devices setup gets it');

interface RunFinished {
  readonly type: string;
  readonly run: number;
  readonly cells: Record<string, number>;
}

function events({ stdout }: FinishedCommand): RunFinished[] {
  return stdout.split('\n').map((line) => JSON.parse(line) as RunFinished);
}

/** Without repeats, so that a busy machine does not change how many cells there are. */
const short = ['run', '--device', 'chromium', '--trials', '1', '--no-repeat', '--json'];

/** Where what is measured does not matter. */
const hasty = ['--measurement', 'fast', '--no-probes'];

test('devices → plan → trials → store → report, in a real browser', async () => {
  const folder = await aFolder();
  const run = await farm(
    folder,
    ...short,
    '--bench',
    'fib',
    '--param',
    'n=12..13',
    '--param',
    'function=asyncFib',
    // Both in one browser.
    '--isolation',
    'page',
  );
  expect(run.code).toBe(0);
  const last = events(run).at(-1);
  expect(last).toMatchObject({
    type: 'run-finished',
    run: 1,
    cells: { planned: 2, completed: 2, failed: 0, timedOut: 0, skipped: 0 },
  });

  const report = await farm(folder, 'report', '--json', '--out', 'report.html');
  const { path, bytes } = JSON.parse(report.stdout) as { path: string; bytes: number };
  const html = await readFile(path, 'utf8');
  expect(Buffer.byteLength(html)).toBe(bytes);
  expect(html).toContain('asyncFib');
  expect(html).toContain('npx crossfarm run --bench fib');
  expect(await readdir(join(folder, '.farm', 'sessions'))).toEqual([]);
  expect(leftRunning(folder)).toEqual([]);

  const warmUp = await farm(folder, 'report', '--warm-up', 'fib', '--out', 'warm-up.html');
  expect(warmUp.code).toBe(0);
  expect(warmUp.stdout).toContain('fib function=asyncFib');
  expect(await readFile(join(folder, 'warm-up.html'), 'utf8')).toContain('<svg');
  expect((await farm(folder, 'report', '--warm-up', 'control')).code).toBe(2);
});

interface TrialEnded {
  readonly type: string;
  readonly case: string;
  readonly outcome: string;
  readonly message: string;
}

/** The fault of a page, its script, and the message of its trial. */
const faults: readonly (readonly [string, string, RegExp])[] = [
  [
    'throws',
    `await post('error', JSON.stringify({ phase: 'timed', message: 'boom <b>' }));`,
    /timed: boom <b>/,
  ],
  ['posts-garbage', `await post('result', '{"samples": "many"');`, /not JSON|JSON/i],
  [
    'posts-much',
    `await post('result', 'x'.repeat(100_000_000)).catch(() => undefined);`,
    /larger|limit|MiB|MB/i,
  ],
  [
    'posts-no-samples',
    `await post('window', '{"mark":"start"}'); await post('window', '{"mark":"end"}'); await post('result', '{"protocol":1}');`,
    /result/i,
  ],
];

test('pages that fail are stored trials and exit code 1, and leave nothing running', async () => {
  const folder = await aFolder();
  for (const [name, script] of faults) await somePages(folder, script, name);
  const bench = ['--bench', faults.map(([name]) => name).join(), '--pages', 'pages'];
  const run = await farm(folder, ...short, ...hasty, ...bench);
  const all = events(run);
  const ended = all.filter(({ type }) => type === 'trial-ended') as unknown as TrialEnded[];
  expect(ended).toHaveLength(faults.length);
  for (const [name, , message] of faults) {
    const trial = ended.find((one) => one.case === name);
    expect(trial?.outcome, name).toBe('failed');
    expect(trial?.message).toMatch(message);
  }
  expect(all.at(-1)?.type).toBe('run-finished');
  expect(run.code).toBe(1);
  expect(leftRunning(folder)).toEqual([]);
  const report = await farm(folder, 'report', '--out', 'report.html');
  expect(report.code).toBe(0);
  expect(await readFile(join(folder, 'report.html'), 'utf8')).not.toContain('boom <b>');
});

test('stores an endless page as timed out and leaves nothing running', async () => {
  const folder = await aFolder();
  const pages = await somePages(folder, '');
  const bench = ['--bench', 'mine', '--pages', pages, '--deadline', '3'];
  const run = await farm(folder, ...short, ...hasty, ...bench);
  const all = events(run);
  expect(all.find(({ type }) => type === 'trial-ended')).toMatchObject({
    outcome: 'timed-out',
    message: expect.stringMatching(/longer than 3 s/) as unknown,
  });
  expect(all.at(-1)?.type).toBe('run-finished');
  expect(run.code).toBe(1);
  expect(leftRunning(folder)).toEqual([]);
});

/** How many trials have ended, by the farm's lines so far. */
const ended = (lines: string): number => lines.split('"trial-ended"').length - 1;

test('Ctrl-C keeps finished trials, ends the browser, reports the interruption', async () => {
  const folder = await aFolder();
  const child = startFarm(folder, [
    'run',
    '--device',
    'chromium',
    '--bench',
    'control',
    '--trials',
    '500',
    ...hasty,
    '--json',
  ]);
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const before = seen;
    seen += String(chunk);
    // Once: a second Ctrl-C stops the farm at once, without its last line.
    if (ended(before) < 2 && ended(seen) >= 2) child.kill('SIGINT');
  });
  const { exitCode, stdout } = await child;
  const last = events({ code: 0, stdout: String(stdout), stderr: '' }).at(-1);
  expect(last).toMatchObject({ type: 'run-finished', interrupted: true });
  expect(last?.cells['completed']).toBeGreaterThanOrEqual(2);
  expect(exitCode).toBe(3);
  expect(leftRunning(folder)).toEqual([]);
  const report = await farm(folder, 'report', '--out', 'report.html');
  expect(report.code).toBe(0);
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('interrupted');
});

test('a killed farm loses one trial; the next run ends its browser', async () => {
  test.skip(!existsSync('/proc'), 'processes are found by /proc');
  const folder = await aFolder();
  const child = startFarm(folder, [
    'run',
    '--device',
    'chromium-puppeteer',
    '--bench',
    'control',
    '--trials',
    '500',
    // A busy machine would add cells.
    '--no-repeat',
    ...hasty,
    '--json',
  ]);
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += String(chunk);
    if (ended(seen) >= 2) child.kill('SIGKILL');
  });
  await child;
  const next = await farm(folder, ...short, ...hasty, '--bench', 'control');
  expect(next.code).toBe(0);
  expect(leftRunning(folder)).toEqual([]);
  const first = await farm(folder, 'report', '1', '--out', 'report.html');
  expect(first.code).toBe(0);
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(
    /\d of 500 cells have an outcome/,
  );
});

test("farm devices --json gives each device's status, or the reason and remedy", async () => {
  const { code, stdout } = await farm(await aFolder(), 'devices', '--json');
  const devices = JSON.parse(stdout) as Record<string, unknown>[];
  for (const device of devices) {
    expect(device).toMatchObject({ id: expect.any(String), driver: expect.any(String) });
    expect(Array.isArray(device['capabilities'])).toBe(true);
    if (device['status'] === 'found') {
      expect(device['browser']).toMatchObject({
        name: expect.any(String),
        version: expect.any(String),
      });
    } else {
      expect(device).toMatchObject({ status: 'missing', browser: null });
      expect(device).toMatchObject({ reason: expect.any(String), remedy: expect.any(String) });
    }
  }
  expect(devices.find((device) => device['id'] === 'chromium')?.['status']).toBe('found');
  expect(code).toBe(0);
});

test('farm devices setup --check changes nothing, and is content with one browser', async () => {
  const folder = await aFolder();
  const { code, stdout } = await farm(folder, 'setup', '--check', '--json');
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { id: string }[]).map((device) => device.id)).toContain('chromium');
  expect(await readdir(folder)).toEqual([]);
});

test("farm devices doctor --json gives the machine's fitness and remedies", async () => {
  const child = startFarm(await aFolder(), ['doctor', '--no-noise', '--json'], {
    CROSSFARM_SMTP_URL: 'smtps://me:hunter2@mail',
  });
  const { exitCode: code, stdout: text } = await child;
  const stdout = String(text);
  const { fit, findings, noiseFloor } = JSON.parse(stdout) as {
    fit: boolean;
    findings: { id: string; level: string; what: string }[];
    noiseFloor: unknown[];
  };
  expect(fit).toBe(findings.every((finding) => finding.level !== 'unfit'));
  expect(code).toBe(fit ? 0 : 1);
  expect(noiseFloor).toEqual([]);
  expect(findings).toContainEqual(expect.objectContaining({ id: 'database', level: 'fine' }));
  const inherited = findings.find(({ id }) => id === 'inherited-environment');
  expect(inherited?.what).toMatch(/\bPATH\b.* stay with the farm/);
  expect(stdout).not.toMatch(/CROSSFARM_SMTP_URL|hunter2/);
});
