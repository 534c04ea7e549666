import { expect, test } from '@playwright/test';
import { mkdirSync, chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { findFreePort } from '../../drivers/driver-server.ts';
import { openStore } from '../store/store.ts';
import { farm, leftRunning, startFarm, type Finished } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

/** On Node.js, which is always there and starts in a tenth of a second. */
const cells = 6;
const long = [
  ...['run', '--device', 'node', '--bench', 'promise', '--param', 'operation=chain'],
  ...['--trials', String(cells), '--no-repeat', '--no-probes', '--seed', '5', '--json'],
];

interface Event {
  readonly type: string;
  readonly cell?: number;
  readonly run?: number;
  readonly planned?: number;
  readonly cells?: Readonly<Record<string, number>>;
}

function eventsOf({ stdout }: { readonly stdout: string }): readonly Event[] {
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Event);
}

/** Ends a run after so many trials. */
async function breakOff(
  folder: string,
  how: { readonly signal: 'SIGINT' | 'SIGKILL'; readonly after: number },
  args: readonly string[] = long,
): Promise<void> {
  const child = startFarm(folder, args);
  let seen = '';
  let told = false;
  child.stdout.on('data', (chunk: Buffer) => {
    seen += String(chunk);
    // Once: a second Ctrl-C stops the farm at once.
    if (told || seen.split('"trial-ended"').length <= how.after) return;
    told = child.kill(how.signal);
  });
  await child;
}

const resume = (folder: string, ...args: readonly string[]): Promise<Finished> =>
  farm(folder, 'resume', ...args);

test('a run is gone on with at its own port: who reaches the pages from elsewhere knows that one', async () => {
  const folder = await aFolder();
  const port = await findFreePort();
  const args = [...long, '--port', String(port)];
  await breakOff(folder, { signal: 'SIGKILL', after: 1 }, args);
  const other = createServer();
  await new Promise<void>((listening) => other.listen(port, '127.0.0.1', listening));
  const refused = await resume(folder);
  await new Promise((closed) => other.close(closed));
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain(String(port));
  expect((await resume(folder)).code).toBe(0);
});

test('a farm that was killed is gone on with: every planned cell has one outcome, and none has two', async () => {
  const folder = await aFolder();
  await breakOff(folder, { signal: 'SIGKILL', after: 2 });
  const resumed = await resume(folder, '--json');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toMatch(/going on with run 1: \d+ of 6 cells have an outcome/);
  const events = eventsOf(resumed);
  expect(events.at(-1)).toMatchObject({
    type: 'run-finished',
    run: 1,
    cells: { planned: cells, completed: cells, failed: 0, timedOut: 0, skipped: 0 },
  });
  const done = events.filter(({ type }) => type === 'trial-ended').map(({ cell }) => cell);
  expect(done.length).toBeLessThan(cells);
  expect(events[0]).toMatchObject({ type: 'run-started', planned: done.length });
  expect(done).toEqual(Array.from({ length: done.length }, (_, i) => cells - done.length + i));
  expect(leftRunning(folder)).toEqual([]);

  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const record = (await store.readRun(1))!;
  await store.close();
  expect(record.run.status).toBe('finished');
  expect(record.trials.map(({ job }) => job.ordinal)).toEqual(record.jobs.map((j) => j.ordinal));
  const versions = new Set(record.trials.map(({ browser }) => browser?.version));
  expect(versions.size).toBe(1);

  const again = await resume(folder, '1', '--json');
  expect(again.code).toBe(0);
  expect(again.stderr).toContain('Nothing to resume: run 1 is finished, and all of its 6 cells');
  expect(eventsOf(again)).toEqual([expect.objectContaining({ type: 'run-finished', run: 1 })]);
  expect((await resume(folder)).stderr).toContain('Nothing to resume: every run in');
});

test('a run that Ctrl-C ended says how to go on, and a device with another version is skipped with both', async () => {
  const folder = await aFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'node');
  const answer = (version: string): void => {
    const script = `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec "${process.execPath}" "$@"\n`;
    writeFileSync(program, script);
    chmodSync(program, 0o755);
  };
  answer('20.1.0');
  const device = { id: 'mine', browser: 'node', driver: 'process', executable: program };
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const mine = long.map((arg) => (arg === 'node' ? 'mine' : arg));
  await breakOff(folder, { signal: 'SIGINT', after: 1 }, mine);

  answer('20.2.0');
  const resumed = await resume(folder, '1', '--json');
  expect(resumed.stderr).toContain('it is node 20.2.0 now, and the run began with 20.1.0');
  const last = eventsOf(resumed).at(-1);
  expect(last?.cells).toMatchObject({ planned: cells, failed: 0, timedOut: 0 });
  expect(last?.cells?.['skipped']).toBeGreaterThan(0);
  expect(last!.cells!['completed']! + last!.cells!['skipped']!).toBe(cells);
  expect(resumed.code).toBe(0);
});

test('what cannot be resumed is told with a sentence', async () => {
  const folder = await aFolder();
  const none = await resume(folder);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('it does not exist');

  const child = startFarm(folder, long);
  await new Promise<void>((begun) => child.stdout.once('data', () => begun()));
  const running = await resume(folder);
  expect(running.code).toBe(3);
  expect(running.stderr).toMatch(/Run 1 is being carried out by farm process \d+/);
  child.kill('SIGINT');
  await child;

  const unknown = await resume(folder, '7');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('There is no run 7');

  const compare = [
    'compare',
    'node',
    'node',
    '--bench',
    'promise',
    '--no-probes',
    '--max-blocks',
    '500',
  ];
  const decided = startFarm(folder, [
    ...compare,
    '--param',
    'operation=chain',
    '--margin',
    '0.001',
  ]);
  let told = false;
  decided.stderr.on('data', (chunk: Buffer) => {
    told ||= String(chunk).includes('completed') && decided.kill('SIGINT');
  });
  await decided;
  const blockwise = await resume(folder, '2');
  expect(blockwise.code).toBe(2);
  expect(blockwise.stderr).toMatch(/block by block[\s\S]*Make it anew: npx farm compare/);
  // The newest run cannot be gone on with, and the one before it can.
  const further = startFarm(folder, ['resume']);
  further.stderr.once('data', () => further.kill('SIGINT'));
  expect(String((await further).stderr)).toContain('going on with run 1');
});
