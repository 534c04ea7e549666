import { expect, test } from '@playwright/test';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import getPort from 'get-port';
import { openStore } from '../store/store.ts';
import { farm, leftRunning, startFarm, type Finished } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

const cells = 6;
const work = ['--bench', 'promise', '--param', 'operation=chain', '--no-probes'];
const long = [
  ...['run', '--device', 'mine', ...work],
  ...['--trials', String(cells), '--no-repeat', '--seed', '5', '--json'],
];

/**
 * A folder whose only device is Node.js under a made-up version. It runs so many trials, and the
 * next one never ends, until `release`: a run that is to be broken off waits for that.
 */
async function aFarm(trials: number) {
  const folder = await aFolder();
  const at = (name: string): string => join(folder, name);
  const answer = (version: string): void => {
    const script = `#!/bin/sh
[ "$1" = --version ] && echo v${version} && exit
echo . >> '${at('begun')}'
[ -e '${at('released')}' ] || [ "$(wc -l < '${at('begun')}')" -le ${String(trials)} ] || exec sleep 600
exec '${process.execPath}' "$@"
`;
    writeFileSync(at('node'), script);
    chmodSync(at('node'), 0o755);
  };
  answer('20.1.0');
  // It writes into this folder, which a confined program does not see.
  const environment = { CROSSFARM_CONFINED: 'no' };
  const launched = { browser: 'node', driver: 'process', executable: at('node'), environment };
  const device = { id: 'mine', ...launched };
  writeFileSync(at('devices.json'), JSON.stringify({ devices: [device] }));
  return { folder, answer, release: () => writeFileSync(at('released'), '') };
}

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

/** Runs the farm until it has said this so often, and then ends it. @returns how it ended. */
async function endAt(
  folder: string,
  args: readonly string[],
  end: { readonly signal: 'SIGINT' | 'SIGKILL'; readonly said: string; readonly times?: number },
): Promise<Finished> {
  const child = startFarm(folder, args);
  let told = false;
  for (const stream of [child.stdout, child.stderr]) {
    let seen = '';
    stream.on('data', (chunk: Buffer) => {
      seen += String(chunk);
      // Once: a second Ctrl-C stops the farm at once.
      if (told || seen.split(end.said).length <= (end.times ?? 1)) return;
      told = child.kill(end.signal);
    });
  }
  const { exitCode = -1, stdout, stderr } = await child;
  return { code: exitCode, stdout: String(stdout), stderr: String(stderr) };
}

/** A run of which so many trials are stored, and in which the next one has begun. */
async function breakOff(
  signal: 'SIGINT' | 'SIGKILL',
  trials: number,
  options: readonly string[] = [],
) {
  const there = await aFarm(trials);
  const end = { signal, said: '"trial-started"', times: trials + 1 };
  await endAt(there.folder, [...long, ...options], end);
  there.release();
  return there;
}

const undecidable = [
  ...['compare', 'mine', 'mine', ...work, '--max-blocks', '500', '--margin', '0.001'],
];

const resume = (folder: string, ...args: readonly string[]): Promise<Finished> =>
  farm(folder, 'resume', ...args);

test('resumes a run at its own port, which remote devices know', async () => {
  const port = await getPort({ host: '127.0.0.1' });
  const { folder } = await breakOff('SIGKILL', 1, ['--port', String(port)]);
  const other = createServer();
  await new Promise<void>((listening) => other.listen(port, '127.0.0.1', listening));
  const refused = await resume(folder);
  await new Promise((closed) => other.close(closed));
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain(String(port));
  expect((await resume(folder)).code).toBe(0);
});

test('the run of a killed farm is resumed: every planned cell has exactly one outcome', async () => {
  const { folder } = await breakOff('SIGKILL', 2);
  const resumed = await resume(folder, '--json');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain('run 1: 2 of 6 cells');
  const events = eventsOf(resumed);
  expect(events.at(-1)).toMatchObject({
    type: 'run-finished',
    run: 1,
    cells: { planned: cells, completed: cells, failed: 0, timedOut: 0, skipped: 0 },
  });
  const done = events.filter(({ type }) => type === 'trial-ended').map(({ cell }) => cell);
  expect(events[0]).toMatchObject({ type: 'run-started', planned: cells - 2 });
  expect(done).toEqual([2, 3, 4, 5]);
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
  expect(again.stderr).toMatch(/run 1 is finished.*6 cells/);
  expect(eventsOf(again)).toEqual([expect.objectContaining({ type: 'run-finished', run: 1 })]);
  expect((await resume(folder)).stderr).toContain('Nothing to resume: every run in');
});

test('a run that Ctrl-C ended says how to go on, and a device with another version is skipped with both', async () => {
  const { folder, answer } = await breakOff('SIGINT', 1);
  answer('20.2.0');
  const resumed = await resume(folder, '1', '--json');
  expect(resumed.stderr).toMatch(/20\.2\.0 now.*20\.1\.0/);
  const last = eventsOf(resumed).at(-1);
  expect(last?.cells).toEqual({
    planned: cells,
    completed: 1,
    failed: 0,
    timedOut: 0,
    skipped: cells - 1,
  });
  expect(resumed.code).toBe(0);
});

test('a run that cannot be resumed is refused with a sentence', async () => {
  const { folder, release } = await aFarm(0);
  const none = await resume(folder);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('it does not exist');

  const child = startFarm(folder, long);
  await once(child.stdout, 'data');
  const running = await resume(folder);
  expect(running.code).toBe(3);
  expect(running.stderr).toMatch(/Run 1 .*process \d+/);
  child.kill('SIGINT');
  await child;
  release();

  const unknown = await resume(folder, '7');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('There is no run 7');

  await endAt(folder, undecidable, { signal: 'SIGINT', said: 'completed' });
  const blockwise = await resume(folder, '2');
  expect(blockwise.code).toBe(2);
  expect(blockwise.stderr).toContain('npx farm compare --continue 2');
  // The newest run cannot be resumed, and the one before it can.
  const goingOn = 'going on with run 1';
  const further = await endAt(folder, ['resume'], { signal: 'SIGINT', said: goingOn });
  expect(further.stderr).toContain(goingOn);
});

test('a comparison that was broken off is continued, in the same run, with the same sides', async () => {
  const { folder, answer, release } = await aFarm(3);
  release();
  const broken = await endAt(folder, undecidable, {
    signal: 'SIGINT',
    said: 'completed',
    times: 2,
  });
  expect(broken.stdout).toContain('npx farm compare --continue 1');
  const compare = (...args: readonly string[]): Promise<Finished> =>
    farm(folder, 'compare', '--continue', '1', ...args);

  const other = await compare('--param', 'operation=chain');
  expect(other.code).toBe(2);
  expect(other.stderr).toMatch(/stays as it was.*--param/);

  answer('20.2.0');
  const updated = await compare();
  expect(updated.code).toBe(2);
  expect(updated.stderr).toMatch(/20\.2\.0 now.*20\.1\.0/);
  answer('20.1.0');

  const further = await compare('--max-blocks', '2', '--json');
  expect(further.code, further.stderr).toBe(0);
  expect(further.stderr).toContain('going on with run 1');
  const told = JSON.parse(further.stdout) as Readonly<Record<string, unknown>>;
  expect(told).toMatchObject({ run: 1, continues: 1, margin: 0.001 });
  expect(told['command']).toMatch(/^npx farm compare mine mine .*--max-blocks \d .*--seed \d+$/);

  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const record = (await store.readRun(1))!;
  await store.close();
  expect(record.run).toMatchObject({ status: 'finished', command: told['command'] });
  expect(record.trials.map(({ job }) => job.ordinal)).toEqual(record.jobs.map((j) => j.ordinal));
  // The first round, which was broken off, is completed before another block begins.
  const blocks = new Set(record.jobs.map(({ block }) => block));
  expect([...blocks].sort()).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, blocks.size));
  expect(blocks.size).toBeGreaterThanOrEqual(5);

  await farm(folder, 'run', '--device', 'mine', ...work, '--trials', '1');
  const run = await farm(folder, 'compare', '--continue', '2');
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('two sides');
});
