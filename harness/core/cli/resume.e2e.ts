import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import { openStore } from '../store/store.ts';
import { farm, leftRunning, startFarm } from '../../testing/farm.ts';
import { aHeldNode } from '../../testing/held-node.ts';

const cells = 6;
const work = [
  ...['--bench', 'promise', '--param', 'operation=chain'],
  ...['--no-probes', '--measurement', 'fast'],
];
const long = [
  ...['run', '--device', 'mine', ...work],
  ...['--trials', String(cells), '--seed', '5', '--json'],
];

interface Event {
  readonly type: string;
  readonly cell?: number;
  readonly run?: number;
  readonly planned?: number;
}

function parseEvents({ stdout }: { readonly stdout: string }): readonly Event[] {
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Event);
}

/** Resolves when the farm has said this that many times. */
function said(child: ReturnType<typeof startFarm>, text: string, times: number): Promise<void> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      let seen = '';
      stream.on('data', (chunk: Buffer) => {
        seen += String(chunk);
        if (seen.split(text).length > times) resolve();
      });
    }
  });
}

test("refuses a living farm's run and resumes a killed one without repeats", async () => {
  const { folder, holdAfter, release } = await aHeldNode();
  holdAfter(2);
  const child = startFarm(folder, long);
  await said(child, '"trial-started"', 3);
  const running = await farm(folder, 'resume');
  expect(running.code).toBe(3);
  expect(running.stderr).toMatch(/Run 1 .*process \d+/);
  child.kill('SIGKILL');
  await child;
  release();

  const resumed = await farm(folder, 'resume', '--json');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain('run 1: 2 of 6 cells');
  const events = parseEvents(resumed);
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
});

test('Ctrl-C breaks off a comparison, which another farm continues in the same run', async () => {
  const { folder, holdAfter, release } = await aHeldNode();
  holdAfter(2);
  const child = startFarm(folder, [
    ...['compare', 'mine', 'mine', ...work, '--max-blocks', '500', '--margin', '0.001'],
  ]);
  await said(child, 'completed', 2);
  child.kill('SIGINT');
  const broken = await child;
  expect(broken.exitCode).toBe(3);
  expect(String(broken.stdout)).toContain('npx crossfarm continue 1');
  release();

  const further = await farm(folder, 'compare', '--continue', '1', '--max-blocks', '2', '--json');
  expect(further.code, further.stderr).toBe(0);
  expect(further.stderr).toContain('going on with run 1');
  expect(JSON.parse(further.stdout)).toMatchObject({ run: 1, continues: 1 });
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const { run, jobs, trials } = (await store.readRun(1))!;
  await store.close();
  expect(run.status).toBe('finished');
  expect(trials.map(({ job }) => job.ordinal)).toEqual(jobs.map(({ ordinal }) => ordinal));
  expect(leftRunning(folder)).toEqual([]);
});
