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
import { nightDeclaration, type NightDocument } from './night-document.ts';
import { splitWords } from '../../core/app/run/repeat-command.ts';
import { farmMark } from '../../core/session/farm-mark.ts';
import { openStore } from '../../core/store/store.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess, runInProcess } from '../../testing/in-process-farm.ts';

const what = ['nightly', '--bench', 'promise', '--param', 'operation=chain', '--seed', '5'];

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
  const { folder, farm } = await aFakeFarm({ devices: ['one'] });
  const backups = join(folder, 'backups');
  const { code, stdout, stderr } = await farm(
    ...[...short, '--json', '--backup', backups, '--keep-days', '30'],
  );
  const night = nightDeclaration.parse(JSON.parse(stdout));
  expect(night, stderr).toMatchObject({ status: 'fine', exitCode: 0, run: 1, changes: [] });
  expect(code).toBe(0);
  expect(night.configured).toEqual(['--measurement "fast"', '--no-probes']);
  expect(nightsIn(folder)).toEqual([night]);
  expect(night.steps.map(({ step, outcome }) => [step, outcome])).toEqual(
    [
      ...['preflight', 'run', 'ledger', 'aa', 'builds', 'analysis', 'blame'],
      ...['report', 'junit', 'integrity', 'backup', 'prune'],
    ].map((step) => [step, step === 'blame' ? 'left-out' : 'done']),
  );
  // The preset fast measures on a busy machine, too.
  expect(night.preflight!.findings.map(({ id }) => id)).not.toContain('foreign-cpu');
  // The lane: one target twice.
  expect(night.ledger).toMatchObject({ planned: 4, completed: 4, withoutOutcome: 0 });
  expect(night.aa).toMatchObject({ target: 'one', results: [{ blocks: 2, alarm: false }] });
  const { report, junit, backup } = night.files;
  const html = readFileSync(report!, 'utf8');
  expect(html).toContain('promise');
  expect(html).toContain('id="night"');
  expect(readFileSync(junit!, 'utf8')).toMatch(/<testsuites name="[^"]*" tests="2"/);
  const copy = await openStore(backup!);
  expect((await copy.listRuns()).map(({ id }) => id)).toEqual([1]);
  expect((await copy.readRun(1))!.run.command).toMatch(
    /^npx crossfarm nightly .*--seed 5 --aa one$/,
  );
  await copy.close();
  expect(readdirSync(join(folder, '.farm')).filter((name) => name.includes('.night-'))).toEqual([]);
});

test('a night writes its report elsewhere, too, or none at all', async () => {
  const { folder, farm } = await aFakeFarm({ devices: ['one'] });
  const brief = [...short, '--no-aa'];
  expect((await farm(...brief, '--report', 'tonight.html')).code).toBe(0);
  expect((await farm(...brief, '--no-report', '--no-blame')).code).toBe(0);
  const [first, second] = nightsIn(folder);
  const reasons = [first, second].map(
    (one) => one!.steps.find(({ step }) => step === 'blame')!.because,
  );
  expect(reasons).toEqual(['no change was confirmed', 'nobody asked for it']);
  expect(readFileSync(join(folder, 'tonight.html'), 'utf8')).toBe(
    readFileSync(first!.files.report!, 'utf8'),
  );
  expect(second).toMatchObject({ status: 'fine', files: { report: null } });
  expect(second!.steps).toContainEqual(
    expect.objectContaining({ step: 'report', because: 'nobody asked for it' }),
  );
});

test('a night whose farm died is continued, with the options that it began with', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const { folder, farm } = await aFakeFarm();
  const backup = join(folder, 'back up');
  await farm(...short, '--device', 'one', '--budget', '1.5h', '--no-aa', '--backup', backup);
  const [night] = nightsIn(folder);
  const dead = farmMark().replace(/^\d+/, '99999999');
  const broken = { ...night, status: 'running', exitCode: null, finishedAt: null, farm: dead };
  const path = join(folder, '.farm', 'nights', night!.id, 'night.json');
  writeFileSync(path, JSON.stringify({ ...broken, steps: night!.steps.slice(0, 1) }));
  const refused = await farm('continue', '--max-blocks', '9');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/--max-blocks does not apply to the interrupted night/);
  const { code, stderr } = await farm('continue');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(`continuing run 1, the interrupted night ${night!.id}`);
  expect(nightsIn(folder)).toMatchObject([{ id: night!.id, status: 'fine', goneOn: [{}] }]);
  expect((await farm('continue')).stderr).toContain('Nothing to continue');
});

test('each channel is notified once of what changed, and no secret is stored', async () => {
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

  const { folder, farmIn } = await aFakeFarm();
  const program = join(folder, 'bin', 'chrome');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, '#!/bin/sh\necho Chromium 150.0\n');
  chmodSync(program, 0o755);
  const device = { browser: 'chromium', driver: 'playwright', headless: true };
  const devices = [
    { id: 'one', ...device, executable: process.execPath },
    { id: 'two', ...device, executable: program },
  ];
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const hold = async (): Promise<number> =>
    (await farmIn({ environment }, ...what, '--trials', '1')).code;

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
  // Each in order, without the missing device.
  expect(nights.map(({ aa }) => aa?.target)).toEqual(['one', 'one', 'one', 'two']);
  for (const name of readdirSync(join(folder, '.farm'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, '.farm', name);
    if (!/\.(json|html|xml|db|db-wal)$/.test(name)) continue;
    expect(readFileSync(path, 'latin1'), path).not.toContain('hunter2secret');
  }
});

test('a night of a dead farm is found by the next one, which holds its own', async () => {
  test.skip(!existsSync('/proc'), 'a dead farm is known by /proc');
  const { folder, farm } = await aFakeFarm({ devices: ['one'] });
  expect((await farm(...what, '--trials', '1')).code).toBe(0);
  // As if its farm had died in it: no process has this mark.
  const [held] = nightsIn(folder);
  const dead = farmMark().replace(/^(\d+):[^:]*/, '$1:1');
  const running = { ...held, status: 'running', exitCode: null, finishedAt: null, farm: dead };
  const path = join(folder, '.farm', 'nights', held!.id, 'night.json');
  writeFileSync(path, JSON.stringify(running));

  const next = await farm(...short, '--json');
  expect(next.code, next.stderr).toBe(0);
  const [first, second] = nightsIn(folder);
  expect(first).toMatchObject({ status: 'broken-off', exitCode: 3 });
  expect(second).toMatchObject({ status: 'fine', run: 2, brokenOff: [first!.id] });
  expect(second!.changes.map(({ kind }) => kind)).toEqual(['night-broken-off']);
});

test('a night without any device is red, ends, and says what to do', async () => {
  const { folder, farm } = await aFakeFarm();
  const device = { id: 'gone', browser: 'chromium', driver: 'playwright', executable: '/opt/gone' };
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const { code, stdout } = await farm(...short);
  expect(code).toBe(3);
  expect(stdout).toMatch(/run failed: No device can be used: gone \(.*\/opt\/gone does not exist/);
  expect(nightsIn(folder)).toMatchObject([
    { run: null, devices: [{ id: 'gone', state: 'missing' }], ledger: null },
  ]);
});

test('a night that cannot begin is reported', async () => {
  const { folder, farmIn } = await aFakeFarm();
  const told = join(folder, 'told.json');
  writeFileSync(join(folder, 'file'), '');
  const args = [...short, '--database', join(folder, 'file', 'farm.db')];
  const environment = { CROSSFARM_NOTIFY_COMMAND: `cat > '${told}'` };
  const { code, stderr } = await farmIn({ environment }, ...args);
  expect(code).toBe(3);
  expect(stderr).toContain('cannot be written');
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
  const programs = { crontab: script, launchctl: '#!/bin/sh\n', schtasks: '#!/bin/sh\n' };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  const call = (...args: readonly string[]) =>
    runInProcess(home, ['nightly', ...args], { environment });
  return { home, crontab, call };
}

test('says when a sleeping Mac or a Windows without its user begins no night', async () => {
  const { call } = await aHome();
  const said = async (scheduler: string, at: string): Promise<string> => {
    const { code, stdout, stderr } = await call('install', '--at', at, '--with', scheduler);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  expect(await said('launchd', '02:30')).toContain('pmset repeat wakeorpoweron MTWRFSU 02:25:00');
  expect(await said('launchd', '00:03')).toContain('MTWRFSU 23:58:00');
  expect(await said('schtasks', '02:30')).toContain('only while you are logged in');
});

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
  ['a time that is none', ['install', '--at', '25:00'], /"25:00" is not a time of day[\s\S]*02:30/],
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
  ['an unknown device', ['--device', 'netscape'], /no device "netscape"/],
  ['an unknown suite', ['--suite', 'nigthly'], /Did you mean "nightly"/],
];

for (const [title, args, sentence] of refusals) {
  test(`${title} is refused`, async () => {
    const folder = await aFolder();
    const { code, stderr, stdout } = await farmInProcess(folder, 'nightly', ...args);
    expect(`${stderr}${stdout}`).toMatch(sentence);
    expect(code).toBe(2);
    expect(existsSync(join(folder, '.farm', 'nights'))).toBe(false);
  });
}

test('a first night recommends a history that works, with its suite and database', async () => {
  const { folder, farm } = await aFakeFarm({ devices: ['one'] });
  const database = join(folder, 'my nights', 'own.db');
  const { stderr } = await farm(...short, '--database', database);
  const [, typed] = /what changed over them: npx crossfarm (.*)/.exec(stderr) ?? [];
  expect(typed).toContain(`--database '${database}'`);
  const words = splitWords(typed!);
  const told = await farm(...words);
  expect(told, told.stderr).toMatchObject({ code: 0 });
  expect(told.stderr).toContain('1 run of');
});
