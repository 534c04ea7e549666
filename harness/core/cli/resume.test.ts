import { expect, test } from '@playwright/test';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import getPort from 'get-port';
import type { RunRecord } from '../model/run.ts';
import { openStore } from '../store/store.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import type { FinishedCommand } from '../../testing/farm.ts';

const cells = 6;
const work = ['--bench', 'promise', '--param', 'operation=chain'];
const long = ['run', ...work, '--trials', String(cells), '--seed', '5'];

/** Never decided: its trials swing, and nothing but an exact ratio matters. */
const undecidable = [
  ...['compare', 'mine', 'mine', ...work],
  ...['--max-blocks', '500', '--margin', '0.001', '--seed', '5'],
];

/** A farm whose only browser has a made-up version. */
async function aFarm() {
  const state: { opened: number; breakAt: number; controller: AbortController | null } = {
    opened: 0,
    breakAt: Infinity,
    controller: null,
  };
  const { folder, farm, farmIn } = await aFakeFarm({
    devices: ['mine'],
    trial: () => {
      state.opened += 1;
      if (state.opened === state.breakAt) {
        state.controller?.abort();
        return { does: 'hangs' };
      }
      const timed = [10 + (state.opened % 3)];
      return { does: 'completes', metrics: [{ metric: 'duration', unit: 'ms', timed }] };
    },
  });
  const executable = join(folder, 'browser');
  const answer = (version: string): void => {
    writeFileSync(executable, `#!/bin/sh\necho Chromium ${version}\n`);
    chmodSync(executable, 0o755);
  };
  answer('20.1.0');
  const device = { browser: 'chromium', driver: 'playwright', headless: true, executable };
  writeFileSync(
    join(folder, 'devices.json'),
    JSON.stringify({ devices: [{ id: 'mine', ...device }] }),
  );
  /** Presses Ctrl-C in a trial after the given number of completed ones. */
  const breakOff = async (trials: number, ...args: readonly string[]): Promise<FinishedCommand> => {
    state.breakAt = state.opened + trials + 1;
    state.controller = new AbortController();
    return farmIn({ signal: state.controller.signal }, ...args);
  };
  const record = async (run: number): Promise<RunRecord> => {
    const store = await openStore(join(folder, '.farm', 'farm.db'));
    return (await store.readRun(run).finally(() => store.close()))!;
  };
  return { farm, breakOff, answer, record };
}

interface Event {
  readonly type: string;
  readonly cells?: Readonly<Record<string, number>>;
}

function parseEvents({ stdout }: FinishedCommand): readonly Event[] {
  return stdout.split('\n').map((line) => JSON.parse(line) as Event);
}

test('resumes a run at its own port, which remote devices know', async () => {
  const { farm, breakOff } = await aFarm();
  const port = await getPort({ host: '127.0.0.1' });
  await breakOff(1, ...long, '--port', String(port));
  const other = createServer();
  await new Promise<void>((listening) => other.listen(port, '127.0.0.1', listening));
  const refused = await farm('resume');
  await new Promise((closed) => other.close(closed));
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain(String(port));
  expect((await farm('resume')).code).toBe(0);
});

test('an interrupted run says how to go on, and is resumed once', async () => {
  const { farm, breakOff, record } = await aFarm();
  const interrupted = await breakOff(2, ...long);
  expect(interrupted.code).toBe(3);
  expect(interrupted.stdout).toContain('go on: npx crossfarm continue 1');

  expect((await farm('resume', '--json')).stderr).toContain('run 1: 2 of 6 cells');
  const { run, jobs, trials } = await record(1);
  expect(run.status).toBe('finished');
  expect(trials.map(({ job }) => job.ordinal)).toEqual(jobs.map(({ ordinal }) => ordinal));

  const again = await farm('resume', '1', '--json');
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(/run 1 is finished.*6 cells/);
  expect(parseEvents(again)).toEqual([expect.objectContaining({ type: 'run-finished', run: 1 })]);
  expect((await farm('resume')).stderr).toContain('Nothing to resume: every run in');
});

test('a resumed device with another version is skipped, and both versions are named', async () => {
  const { farm, breakOff, answer } = await aFarm();
  await breakOff(1, ...long);
  answer('20.2.0');
  const resumed = await farm('resume', '1', '--json');
  expect(resumed.stderr).toMatch(/20\.2\.0 now.*20\.1\.0/);
  expect(parseEvents(resumed).at(-1)?.cells).toEqual({
    planned: cells,
    completed: 1,
    failed: 0,
    timedOut: 0,
    skipped: cells - 1,
  });
  expect(resumed.code).toBe(0);
});

test('a run that cannot be resumed is refused with a sentence', async () => {
  const { farm, breakOff } = await aFarm();
  const none = await farm('resume');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('does not exist');

  await breakOff(0, ...long);
  const unknown = await farm('resume', '7');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('There is no run 7');

  await breakOff(1, ...undecidable);
  const blockwise = await farm('resume', '2');
  expect(blockwise.code).toBe(2);
  expect(blockwise.stderr).toContain('npx crossfarm continue 2');
  // The newest run cannot be resumed, and the one before it can.
  const further = await farm('resume');
  expect(further.code).toBe(0);
  expect(further.stderr).toContain('going on with run 1');
});

test('an interrupted comparison is continued in the same run, with the same sides', async () => {
  const { farm, breakOff, answer, record } = await aFarm();
  const broken = await breakOff(2, ...undecidable);
  expect(broken.code).toBe(3);
  expect(broken.stdout).toContain('npx crossfarm continue 1');
  const compare = (...args: readonly string[]): Promise<FinishedCommand> =>
    farm('compare', '--continue', '1', ...args);

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
  expect(told).toMatchObject({ run: 1, continues: 1, margin: 0.001, verdict: 'undecided' });
  expect(told['command']).toMatch(
    /^npx crossfarm compare mine mine .*--max-blocks \d .*--seed \d+$/,
  );

  const { run, jobs, trials } = await record(1);
  expect(run).toMatchObject({ status: 'finished', command: told['command'] });
  expect(trials.map(({ job }) => job.ordinal)).toEqual(jobs.map(({ ordinal }) => ordinal));
  // The first round, which was broken off, is completed before another block begins.
  const blocks = new Set(jobs.map(({ block }) => block));
  expect([...blocks].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('refuses to continue a run that compares nothing', async () => {
  const { farm } = await aFarm();
  await farm('run', ...work, '--trials', '1');
  const run = await farm('compare', '--continue', '1');
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('compares nothing');
});

test('continue resumes the newest interrupted run, and says so', async () => {
  const { farm, breakOff, record } = await aFarm();
  await breakOff(2, ...long);
  const refused = await farm('continue', '1', '--max-blocks', '3');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/--max-blocks does not apply to an interrupted run/);
  expect((await farm()).stdout).toContain('continue it: npx crossfarm continue\n');
  const further = await farm('continue', '--json');
  expect(further.code, further.stderr).toBe(0);
  expect(further.stderr).toContain('continuing run 1, an interrupted run');
  expect(parseEvents(further).at(-1)).toMatchObject({ type: 'run-finished', run: 1 });
  expect((await record(1)).run.status).toBe('finished');

  const nothing = await farm('continue');
  expect(nothing).toMatchObject({ code: 2, stdout: '' });
  expect(nothing.stderr).toContain('Nothing to continue');
  const named = await farm('continue', '1');
  expect(named.code).toBe(2);
  expect(named.stderr).toMatch(/Run 1 has nothing to continue: it is finished/);
});

test('continue adds blocks to an undecided comparison, and passes over what is decided', async () => {
  const { farm, breakOff, record } = await aFarm();
  await farm(...undecidable.map((word) => (word === '500' ? '7' : word)));
  await breakOff(1, ...long);
  await farm('run', ...work, '--trials', '1');
  const first = await farm('continue');
  expect(first.stderr).toContain('continuing run 2, an interrupted run');
  const second = await farm('continue', '--max-blocks', '2', '--json');
  expect(second.stderr).toContain('continuing run 1, an undecided comparison');
  expect(JSON.parse(second.stdout)).toMatchObject({ run: 1, verdict: 'undecided' });
  expect(new Set((await record(1)).jobs.map(({ block }) => block)).size).toBe(9);
});

test('continue needs a run, and a known one', async () => {
  const { farm } = await aFarm();
  const none = await farm('continue');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('does not exist');
  await farm('run', ...work, '--trials', '1');
  const unknown = await farm('continue', '7');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('There is no run 7');
});
