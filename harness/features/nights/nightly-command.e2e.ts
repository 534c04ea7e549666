import { expect, test } from '@playwright/test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nightDeclaration, type NightDocument } from './night-document.ts';
import { openStore } from '../../core/store/store.ts';
import { farm, leftRunning, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { aHeldNode } from '../../testing/held-node.ts';

/** On Node.js, which is always there and starts in a tenth of a second. */
const nightOn = (device: string): readonly string[] => [
  ...['nightly', '--device', device, '--bench', 'promise', '--param', 'operation=chain'],
  ...['--no-repeat', '--no-probes', '--seed', '5'],
];

const fast = ['--measurement', 'fast'];

function nightsIn(folder: string): readonly NightDocument[] {
  const nights = join(folder, '.farm', 'nights');
  return readdirSync(nights)
    .sort()
    .map((name) => {
      const text = readFileSync(join(nights, name, 'night.json'), 'utf8');
      return nightDeclaration.parse(JSON.parse(text));
    });
}

/** Ends a farm by a signal, once, when a trial of it has completed. */
function killAfterTrial(child: ReturnType<typeof startFarm>, signal: NodeJS.Signals): void {
  let isKilled = false;
  child.stderr.on('data', (chunk: Buffer) => {
    if (!isKilled && String(chunk).includes('completed')) isKilled = child.kill(signal);
  });
}

test('the same command continues a killed night: one night, one run, every cell once', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const { folder, holdAfter, release } = await aHeldNode();
  const args = [...nightOn('mine'), ...fast, '--trials', '3'];
  for (const death of [1, 2]) {
    holdAfter(1);
    const child = startFarm(folder, args);
    killAfterTrial(child, 'SIGKILL');
    await child;
    expect(nightsIn(folder)).toMatchObject([{ status: 'running', run: 1, finishedAt: null }]);
    expect(nightsIn(folder)[0]!.goneOn).toHaveLength(death - 1);
  }

  release();
  const last = await farm(folder, ...args);
  expect(last.code, last.stderr).toBe(0);
  expect(last.stderr).toMatch(/died 2 times.*step run\b/);
  const [night, ...others] = nightsIn(folder);
  expect(others).toEqual([]);
  expect(night).toMatchObject({
    status: 'fine',
    run: 1,
    changes: [],
    goneOn: [{ during: 'run' }, { during: 'run' }],
    ledger: { planned: 6, completed: 6, withoutOutcome: 0 },
  });
  expect(readFileSync(night!.files.report!, 'utf8')).toContain('id="night"');
  const store = await openStore(night!.database);
  const { run, jobs, trials } = (await store.readRun(1))!;
  expect((await store.listRuns()).map(({ id }) => id)).toEqual([1]);
  await store.close();
  expect(run.status).toBe('finished');
  expect(trials.map(({ job }) => job.ordinal).sort((a, b) => a - b)).toEqual(
    jobs.map(({ ordinal }) => ordinal).sort((a, b) => a - b),
  );
  expect(leftRunning(folder)).toEqual([]);
});

test('a night that died while notifying is reported when it is continued, without more time than before', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const folder = await aFolder();
  const told = join(folder, 'told.json');
  const args = [
    ...[...nightOn('node'), ...fast, '--trials', '200'],
    ...['--budget', '1', '--backup', join(folder, 'backups')],
  ];
  const hold = (command: string) => startFarm(folder, args, { CROSSFARM_NOTIFY_COMMAND: command });
  // The shell's parent is the farm.
  expect((await hold('kill -9 $PPID')).signal).toBe('SIGKILL');
  const [died] = nightsIn(folder);
  expect(died).toMatchObject({ status: 'red', run: 1, finishedAt: null });

  expect((await hold(`cat > '${told}'`)).exitCode).toBe(3);
  const [night, ...others] = nightsIn(folder);
  expect(others).toEqual([]);
  expect(night).toMatchObject({ status: 'red', run: 1, goneOn: [{ during: null }] });
  expect(night!.finishedAt).not.toBeNull();
  const { withoutOutcome } = night!.ledger!;
  expect(withoutOutcome).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
    changes: [
      { kind: 'red-night', text: expect.stringContaining('longer than its budget of 1 s') },
    ],
  });
  const copy = await openStore(night!.files.backup!);
  expect((await copy.readRun(1))!.trials).toHaveLength(400 - withoutOutcome);
  await copy.close();
});

test('a night that a bug of the farm ended has no verdict, and is continued', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const { folder, holdAfter, release } = await aHeldNode();
  holdAfter(1);
  const bug = join(folder, 'bug.mjs');
  writeFileSync(bug, `process.on('SIGUSR2', () => { throw new Error('boom'); });`);
  const args = [...nightOn('mine'), ...fast, '--trials', '1'];
  const child = startFarm(folder, args, { NODE_OPTIONS: `--import=${bug}` });
  killAfterTrial(child, 'SIGUSR2');
  const { signal, stderr } = await child;
  expect(signal).toBe('SIGKILL');
  expect(String(stderr)).toMatch(/this is a bug of the farm[\s\S]*boom/);

  // As if it had died a moment before, when its run was stored and its number not yet noted.
  const [died] = nightsIn(folder);
  const path = join(folder, '.farm', 'nights', died!.id, 'night.json');
  writeFileSync(path, JSON.stringify({ ...died, run: null }));
  release();
  const next = await farm(folder, ...args);
  expect(next.code, next.stderr).toBe(0);
  expect(nightsIn(folder)).toMatchObject([{ status: 'fine', run: 1, goneOn: [{ during: 'run' }] }]);
});

test('one night at a time: a second is refused; Ctrl-C ends the first, red, with the cells that it lacks', async () => {
  const { folder, holdAfter, release } = await aHeldNode();
  holdAfter(1);
  // By the rules of its suite, so that it also looks at the load of the machine.
  const args = [...nightOn('mine'), '--trials', '200'];
  const child = startFarm(folder, args);
  await new Promise<void>((begun) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (String(chunk).includes('completed')) begun();
    });
  });
  const second = await farm(folder, ...args);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/A night with .*farm\.db is going on already: farm process \d+/);
  release();
  child.kill('SIGINT');
  const { exitCode, stdout } = await child;
  expect(exitCode).toBe(3);
  expect(String(stdout)).toMatch(
    /: red\n {2}\d+ planned trials have no outcome\n {2}run failed.*interrupted/,
  );
  const [night, ...others] = nightsIn(folder);
  expect(others).toEqual([]);
  expect(night).toMatchObject({ status: 'red', ledger: { planned: 400 } });
  expect(night!.preflight!.findings.map(({ id }) => id)).toContain('foreign-cpu');
  const { completed, withoutOutcome, missing } = night!.ledger!;
  expect(completed + withoutOutcome).toBe(400);
  expect(missing).toHaveLength(100);
  expect(night!.files.report).not.toBeNull();
  expect(leftRunning(folder)).toEqual([]);
});
