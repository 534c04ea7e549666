import { expect, test } from '@playwright/test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { nightDeclaration, type NightDocument } from '../app/nights/night-document.ts';
import { openStore } from '../store/store.ts';
import { farm, leftRunning, startFarm } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

// Four nights, one after the other.
test.setTimeout(300_000);

/** On Node.js, which is always there and starts in a tenth of a second. */
const what = [
  ...['nightly', '--device', 'node', '--bench', 'promise', '--param', 'operation=chain'],
  ...['--no-repeat', '--no-probes', '--seed', '5'],
];

const short = [...what, '--trials', '2'];

function nightsIn(folder: string): readonly NightDocument[] {
  const nights = join(folder, '.farm', 'nights');
  return readdirSync(nights)
    .sort()
    .map((name) => {
      const text = readFileSync(join(nights, name, 'night.json'), 'utf8');
      return nightDeclaration.parse(JSON.parse(text));
    });
}

test('a night measures, judges itself, reports, and leaves one document and one exit code', async () => {
  const folder = await aFolder();
  const backups = join(folder, 'backups');
  const { code, stdout, stderr } = await farm(
    folder,
    ...[...short, '--json', '--backup', backups, '--keep-days', '30'],
  );
  const night = nightDeclaration.parse(JSON.parse(stdout));
  expect(night, stderr).toMatchObject({ status: 'fine', exitCode: 0, run: 1, changes: [] });
  expect(code).toBe(0);
  expect(nightsIn(folder)).toEqual([night]);
  expect(night.steps.map(({ step, outcome }) => [step, outcome])).toEqual(
    [
      ...['preflight', 'run', 'ledger', 'aa', 'builds', 'analysis'],
      ...['report', 'junit', 'integrity', 'backup', 'prune'],
    ].map((step) => [step, 'done']),
  );
  // The lane: one target twice.
  expect(night.ledger).toMatchObject({ planned: 4, completed: 4, withoutOutcome: 0 });
  expect(night.aa).toMatchObject({ target: 'node', results: [{ blocks: 2, alarm: false }] });
  const { report, junit, backup } = night.files;
  const html = readFileSync(report!, 'utf8');
  expect(html).toContain('promise');
  expect(html).toContain('id="night"');
  expect(readFileSync(junit!, 'utf8')).toMatch(/<testsuites name="[^"]*" tests="2"/);
  const copy = await openStore(backup!);
  expect((await copy.listRuns()).map(({ id }) => id)).toEqual([1]);
  expect((await copy.readRun(1))!.run.command).toMatch(/^npx farm nightly .*--seed 5 --aa node$/);
  await copy.close();
  expect(readdirSync(join(folder, '.farm')).filter((name) => name.includes('.night-'))).toEqual([]);
  expect(leftRunning(folder)).toEqual([]);
});

test('each channel is notified once of what changed, and no secret is stored', async () => {
  const folder = await aFolder();
  const told: { readonly changes: readonly { readonly kind: string }[] }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += String(chunk)));
    request.on('end', () => {
      told.push(JSON.parse(text) as (typeof told)[number]);
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const environment = { CROSSFARM_WEBHOOK_URL: `http://127.0.0.1:${String(port)}/hunter2secret` };

  const program = join(folder, 'bin', 'node');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  chmodSync(program, 0o755);
  const device = { browser: 'node', driver: 'process' };
  const devices = [
    { id: 'node', ...device },
    { id: 'mine', ...device, executable: program },
  ];
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const both = short.map((arg) => (arg === 'node' ? 'node,mine' : arg));
  const hold = async (): Promise<number | undefined> =>
    (await startFarm(folder, [...both, '--trials', '1'], environment)).exitCode;

  expect(await hold()).toBe(0);
  renameSync(program, `${program}.away`);
  expect(await hold()).toBe(0);
  expect(await hold()).toBe(0);
  renameSync(`${program}.away`, program);
  expect(await hold()).toBe(0);
  await new Promise((closed) => server.close(closed));

  expect(told.map(({ changes }) => changes.map(({ kind }) => kind))).toEqual([
    ['device-lost'],
    ['device-back'],
  ]);
  const nights = nightsIn(folder);
  expect(nights.map(({ notifications }) => notifications.map(({ sent }) => sent))).toEqual([
    ...[[], [true], [], [true]],
  ]);
  // Each in its turn; the one that is missing has none.
  expect(nights.map(({ aa }) => aa?.target)).toEqual(['node', 'node', 'node', 'mine']);
  for (const name of readdirSync(join(folder, '.farm'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, '.farm', name);
    if (!/\.(json|html|xml|db|db-wal)$/.test(name)) continue;
    expect(readFileSync(path, 'latin1'), path).not.toContain('hunter2secret');
  }
});

test('a night that was killed is found by the next one, which holds its own', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const folder = await aFolder();
  const child = startFarm(folder, [...what, '--trials', '200']);
  let killed = false;
  child.stderr.on('data', (chunk: Buffer) => {
    if (!killed && String(chunk).includes('completed')) killed = child.kill('SIGKILL');
  });
  await child;
  expect(nightsIn(folder)).toMatchObject([{ status: 'running', run: 1, finishedAt: null }]);

  const next = await farm(folder, ...short, '--json');
  expect(next.code, next.stderr).toBe(0);
  const [first, second] = nightsIn(folder);
  expect(first).toMatchObject({ status: 'broken-off', exitCode: 3 });
  expect(second).toMatchObject({ status: 'fine', run: 2, brokenOff: [first!.id] });
  expect(second!.changes.map(({ kind }) => kind)).toEqual(['night-broken-off']);
  expect(leftRunning(folder)).toEqual([]);
});

test('the same command continues a killed night: one night, one run, every cell once', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const folder = await aFolder();
  const args = [...what, '--trials', '8'];
  for (const death of [1, 2]) {
    const child = startFarm(folder, args);
    let killed = false;
    child.stderr.on('data', (chunk: Buffer) => {
      if (!killed && String(chunk).includes('completed')) killed = child.kill('SIGKILL');
    });
    await child;
    expect(nightsIn(folder)).toMatchObject([{ status: 'running', run: 1, finishedAt: null }]);
    expect(nightsIn(folder)[0]!.goneOn).toHaveLength(death - 1);
  }

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
    ledger: { planned: 16, completed: 16, withoutOutcome: 0 },
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
  const args = [...what, '--trials', '200', '--budget', '1', '--backup', join(folder, 'backups')];
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
  const folder = await aFolder();
  const bug = join(folder, 'bug.mjs');
  writeFileSync(bug, `process.on('SIGUSR2', () => { throw new Error('boom'); });`);
  const args = [...what, '--trials', '8'];
  const child = startFarm(folder, args, { NODE_OPTIONS: `--import=${bug}` });
  let hit = false;
  child.stderr.on('data', (chunk: Buffer) => {
    if (!hit && String(chunk).includes('completed')) hit = child.kill('SIGUSR2');
  });
  const { signal, stderr } = await child;
  expect(signal).toBe('SIGKILL');
  expect(String(stderr)).toMatch(/this is a bug of the farm[\s\S]*boom/);

  // As if it had died a moment before, when its run was stored and its number not yet noted.
  const [died] = nightsIn(folder);
  const path = join(folder, '.farm', 'nights', died!.id, 'night.json');
  writeFileSync(path, JSON.stringify({ ...died, run: null }));
  const next = await farm(folder, ...args);
  expect(next.code, next.stderr).toBe(0);
  expect(nightsIn(folder)).toMatchObject([{ status: 'fine', run: 1, goneOn: [{ during: 'run' }] }]);
});

test('one night at a time: a second is refused; Ctrl-C ends the first, red, with the cells that it lacks', async () => {
  const folder = await aFolder();
  const child = startFarm(folder, [...what, '--trials', '200']);
  await new Promise<void>((begun) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (String(chunk).includes('completed')) begun();
    });
  });
  const second = await farm(folder, ...short);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/A night with .*farm\.db is going on already: farm process \d+/);
  child.kill('SIGINT');
  const { exitCode, stdout } = await child;
  expect(exitCode).toBe(3);
  expect(String(stdout)).toMatch(/: red\n {2}run failed.*interrupted/);
  const [night, ...others] = nightsIn(folder);
  expect(others).toEqual([]);
  expect(night).toMatchObject({ status: 'red', ledger: { planned: 400 } });
  const { completed, withoutOutcome, missing } = night!.ledger!;
  expect(completed + withoutOutcome).toBe(400);
  expect(missing).toHaveLength(100);
  expect(night!.files.report).not.toBeNull();
  expect(leftRunning(folder)).toEqual([]);
});

test('a night without any device is red, ends, and says what to do', async () => {
  const folder = await aFolder();
  const device = { id: 'gone', browser: 'node', driver: 'process', executable: '/opt/gone/node' };
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const args = short.map((arg) => (arg === 'node' ? 'gone' : arg));
  const { code, stdout } = await farm(folder, ...args);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /run failed: No device can be used: gone \(.*\/opt\/gone\/node is not there/,
  );
  expect(nightsIn(folder)).toMatchObject([
    { run: null, devices: [{ id: 'gone', state: 'missing' }], ledger: null },
  ]);
});

test('a night that cannot begin is reported', async () => {
  const folder = await aFolder();
  const told = join(folder, 'told.json');
  writeFileSync(join(folder, 'file'), '');
  const args = [...short, '--database', join(folder, 'file', 'farm.db')];
  const environment = { CROSSFARM_NOTIFY_COMMAND: `cat > '${told}'` };
  const { exitCode, stderr } = await startFarm(folder, args, environment);
  expect(exitCode).toBe(3);
  expect(String(stderr)).toContain('cannot be written');
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
    status: 'red',
    exitCode: 3,
    changes: [{ kind: 'red-night', text: expect.stringContaining('no night began') }],
  });
});

/** A home of the test's own, with a crontab that is a file of it. */
async function aHome() {
  const home = await aFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const crontab = join(home, 'crontab.txt');
  const script = `#!/bin/sh\nif [ "$1" = -l ]; then [ -f "${crontab}" ] && exec cat "${crontab}"; echo "no crontab for me" >&2; exit 1; fi\nexec cat > "${crontab}"\n`;
  writeFileSync(join(bin, 'crontab'), script);
  chmodSync(join(bin, 'crontab'), 0o755);
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  const call = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await startFarm(home, ['nightly', ...args], environment);
    return { code: exitCode, stdout: String(stdout), stderr: String(stderr) };
  };
  return { home, crontab, call };
}

test('a timetable is shown without writing, installed, and removed again', async () => {
  const { home, crontab, call } = await aHome();
  const before = readdirSync(home).sort();
  const cron = ['--at', '02:30', '--with', 'cron'];
  const night = ['--', '--suite', 'quick', '--keep-days', '90'];
  const shown = await call('install', ...cron, '--print', ...night);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toContain("'nightly' '--suite' 'quick' '--keep-days' '90'");
  expect(readdirSync(home).sort()).toEqual(before);

  expect((await call('install', ...cron, ...night)).code).toBe(0);
  const line = readFileSync(crontab, 'utf8').split('\n')[1]!;
  expect(shown.stdout).toContain(line);
  expect(line).toMatch(/^30 2 \* \* \* cd '/);
  const removed = await call('uninstall', '--with', 'cron');
  expect(removed.stdout).toBe('removed: crontab');
  expect(readFileSync(crontab, 'utf8')).toBe('');
  expect((await call('uninstall', '--with', 'cron')).stdout).toContain('nothing is installed');
  for (const scheduler of ['systemd', 'launchd']) {
    const other = await call('install', '--at', '02:30', '--with', scheduler, '--print');
    expect(other.code).toBe(0);
    expect(other.stdout).toContain('Written by crossfarm');
  }
});

const refusals: readonly [string, readonly string[], RegExp][] = [
  ['a time that is none', ['install', '--at', '25:00'], /"25:00" is no time of day[\s\S]*02:30/],
  ['no time', ['install'], /required option '--at <time>'/],
  [
    'an option of a night before --',
    ['install', '--at', '02:30', '--suite', 'x'],
    /unknown option/,
  ],
  ['a night with a mistake', ['install', '--at', '02:30', '--', '--keep-dais', '9'], /keep-days/],
  ['a stray word', ['install', '--at', '02:30', '--', 'quick'], /too many arguments/],
  ['a scheduler that is none', ['install', '--at', '02:30', '--with', 'at'], /systemd, cron/],
  ['an unknown device for the A/A lane', [...short.slice(1), '--aa', 'nod'], /no device "nod"/],
  ['an unknown device', ['--device', 'safari'], /no device "safari"/],
  ['an unknown suite', ['--suite', 'nigthly'], /Did you mean "nightly"/],
];

for (const [title, args, sentence] of refusals) {
  test(`${title} is refused`, async () => {
    const folder = await aFolder();
    const { code, stderr, stdout } = await farm(folder, 'nightly', ...args);
    expect(`${stderr}${stdout}`).toMatch(sentence);
    expect(code).toBe(2);
    expect(existsSync(join(folder, '.farm', 'nights'))).toBe(false);
  });
}
