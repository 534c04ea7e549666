import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
  rm,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { withEnvironment } from '../../testing/environment.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess, type Surroundings } from '../../testing/in-process-farm.ts';
import { storedBuilds } from '../../testing/stored-builds.ts';

interface StrangersFolder {
  readonly folder: string;
  /** The user's own state, elsewhere. */
  readonly state: string;
  readonly write: (name: string, content: unknown, mode?: number) => Promise<void>;
  readonly farm: (...args: readonly string[]) => Promise<FinishedCommand>;
  readonly farmIn: (more: Surroundings, ...args: readonly string[]) => Promise<FinishedCommand>;
  /** True if its program has run. */
  readonly hasRun: () => boolean;
}

/** A folder with `run.sh`, which leaves a file when it runs; the farm trusts no part of it. */
async function aStrangersFolder(): Promise<StrangersFolder> {
  const [folder, state] = [await aFolder(), await aFolder()];
  const ran = join(state, 'ran');
  const write: StrangersFolder['write'] = async (name, content, mode = 0o644) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    await chmod(path, mode);
  };
  await write('run.sh', `#!/bin/sh\necho 1.2.3\ntouch '${ran}'\n`, 0o755);
  const farmIn: StrangersFolder['farmIn'] = ({ environment = {}, ...more }, ...args) =>
    runInProcess(folder, args, {
      environment: { CROSSFARM_TRUST: '', XDG_STATE_HOME: state, ...environment },
      ...more,
    });
  const farm: StrangersFolder['farm'] = (...args) => farmIn({}, ...args);
  return { folder, state, write, farm, farmIn, hasRun: () => existsSync(ran) };
}

const device = { id: 'mine', browser: 'chromium', driver: 'playwright', headless: true };
const running = { devices: [{ ...device, executable: './run.sh' }] };

const manifest = {
  product: 'chromium',
  version: '999.0.1',
  executable: 'run.sh',
  bytes: 1,
  keptAt: '2026-01-01T00:00:00.000Z',
};

const planted: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'devices.json': { 'devices.json': running },
  'a devices file that the configuration names': {
    'crossfarm.config.json': { all: { inventory: 'other.json' } },
    'other.json': running,
  },
  'a program found on no path of its own': {
    'devices.json': {
      devices: [{ ...device, browser: 'program', driver: 'open', executable: './run.sh' }],
    },
  },
  'flags that start another program': {
    'devices.json': { devices: [{ ...device, flags: ['--renderer-cmd-prefix=./run.sh'] }] },
  },
  'variables that load a library': {
    'devices.json': { devices: [{ ...device, environment: { LD_PRELOAD: './run.sh' } }] },
  },
};

for (const [what, files] of Object.entries(planted)) {
  test(`runs nothing of ${what} before consent`, async () => {
    const { write, farm, hasRun } = await aStrangersFolder();
    for (const [name, content] of Object.entries(files)) await write(name, content);
    const { code, stderr } = await farm('devices');
    expect({ code, ran: hasRun() }, stderr).toEqual({ code: 2, ran: false });
    expect(stderr).toMatch(/is not trusted yet: .*npx crossfarm trust grant .*CROSSFARM_TRUST=1/s);
  });
}

for (const [what, options] of Object.entries({
  'a command that builds': { build: './run.sh' },
  'an executable': { 'a-executable': './run.sh' },
  'a flag': { 'b-flag': '--utility-cmd-prefix=./run.sh' },
  'a module with steps': { input: 'steps.mjs' },
  'a folder of benchmarks': { pages: 'pages' },
  'a server root that leads out': { root: '../..' },
  'a header with what the environment has': { header: 'X: $SECRET' },
  'certificates of anybody': { insecure: true },
  'a database elsewhere': { database: '/var/tmp/other.db' },
})) {
  test(`a configuration that sets ${what} needs consent`, async () => {
    const { write, farm, hasRun } = await aStrangersFolder();
    await write('crossfarm.config.json', { compare: options });
    await write(
      'steps.mjs',
      `import { execFileSync } from 'child_process'; execFileSync('./run.sh');`,
    );
    await write('old.html', '<p>old');
    await write('new.html', '<p>new');
    const { code, stderr } = await farm('compare', 'old.html', 'new.html');
    expect({ code, ran: hasRun() }, stderr).toEqual({ code: 2, ran: false });
    expect(stderr).toContain(`it sets --${Object.keys(options).join('')}`);
  });
}

test('a kept build of a stranger does not run before consent', async () => {
  const { write, farm, hasRun } = await aStrangersFolder();
  await write('.farm/builds/chromium/999.0.1/kept.json', manifest);
  await write('.farm/builds/chromium/999.0.1/run.sh', '#!/bin/sh\n../../../../run.sh\n', 0o755);
  const { code, stderr } = await farm('devices', '--device', 'chromium@999');
  expect({ code, ran: hasRun() }, stderr).toEqual({ code: 2, ran: false });
  expect(stderr).toContain('npx crossfarm trust grant');
});

for (const executable of ['../../../../run.sh', 'link']) {
  test(`a kept build outside of its folder never runs: ${executable}`, async () => {
    const { folder, write, farmIn, hasRun } = await aStrangersFolder();
    await write('.farm/builds/chromium/999.0.1/kept.json', { ...manifest, executable });
    await symlink(join(folder, 'run.sh'), join(folder, '.farm/builds/chromium/999.0.1/link'));
    const trusting = { environment: { CROSSFARM_TRUST: '1' } };
    const { code, stderr } = await farmIn(trusting, 'devices', '--device', 'chromium@999');
    expect({ code, ran: hasRun() }, stderr).toEqual({ code: 2, ran: false });
    expect(stderr).toMatch(/outside of its folder.*Remove it: rm -r/s);
  });
}

test('a runtime that a folder brings along is not installed', async () => {
  const { write, farm, hasRun } = await aStrangersFolder();
  for (const program of ['bun/node_modules/bun/bin/bun.exe', 'bun/node_modules/.bin/bun']) {
    await write(`.farm/runtimes/${program}`, '#!/bin/sh\n./run.sh\n', 0o755);
  }
  const { code } = await farm('devices', '--device', 'bun');
  expect({ code, ran: hasRun() }).toEqual({ code: 0, ran: false });
});

test('a folder that names only kinds of browsers is not asked about', async () => {
  const { write, farmIn, state } = await aStrangersFolder();
  const plain = { ...device, id: 'plain', emulates: 'Pixel 7', automatic: false };
  await write('devices.json', { devices: [device, plain] });
  await write('crossfarm.config.json', {
    all: { database: 'bench/farm.db' },
    compare: { margin: '3%' },
  });
  const ask = () => Promise.reject(new Error('nobody is to be asked'));
  const { code, stderr } = await farmIn({ ask }, 'devices');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('crossfarm.config.json: --database "bench/farm.db"');
  expect(existsSync(join(state, 'crossfarm'))).toBe(false);
});

test('asks once at a terminal, and again when a named program changes', async () => {
  const { folder, state, write, farmIn, hasRun } = await aStrangersFolder();
  await write('devices.json', running);
  const questions: string[] = [];
  const answering = (answer: boolean) => ({
    ask: (question: string) => {
      questions.push(question);
      return Promise.resolve(answer);
    },
  });
  expect((await farmIn(answering(false), 'devices')).code).toBe(2);
  expect(hasRun()).toBe(false);
  expect((await farmIn(answering(true), 'devices')).code).toBe(0);
  expect(hasRun()).toBe(true);
  expect((await farmIn({}, 'devices')).code).toBe(0);
  expect(questions).toHaveLength(2);
  const notes = join(state, 'crossfarm', 'trusted');
  const [name = ''] = await readdir(notes);
  expect((await stat(join(notes, name))).mode & 0o777).toBe(0o600);
  await appendFile(join(folder, 'run.sh'), 'echo more\n');
  expect((await farmIn({}, 'devices')).code).toBe(2);
});

test('notes of files that are gone, and of contents of long ago, are removed', async () => {
  const { folder, state, write, farm } = await aStrangersFolder();
  await write('gone.json', running);
  expect((await farm('trust', 'grant', join(folder, 'gone.json'))).code).toBe(0);
  await rm(join(folder, 'gone.json'));
  for (let change = 0; change < 14; change += 1) {
    await write('devices.json', { ...running, changes: change });
    expect((await farm('trust', 'grant', join(folder, 'devices.json'))).code).toBe(0);
  }
  expect(await readdir(join(state, 'crossfarm', 'trusted'))).toHaveLength(11);
  expect((await farm('trust', '--json')).stdout).not.toContain('gone.json');
});

test('trust is granted, listed and revoked by command', async () => {
  const { folder, write, farm } = await aStrangersFolder();
  await write('devices.json', running);
  expect((await farm('trust')).stdout).toContain('not trusted');
  expect((await farm('trust', 'grant')).code).toBe(0);
  expect((await farm('devices')).code).toBe(0);
  const { trusted } = JSON.parse((await farm('trust', '--json')).stdout) as { trusted: unknown[] };
  expect(trusted).toMatchObject([{ file: join(folder, 'devices.json'), isCurrent: true }]);
  expect((await farm('trust', 'revoke')).stdout).toContain('no longer trusted');
  expect((await farm('devices')).code).toBe(2);
});

test('a job trusts its folder by flag or variable', async () => {
  const { write, farm, farmIn } = await aStrangersFolder();
  await write('devices.json', running);
  expect((await farm('--trust-folder', 'devices')).code).toBe(0);
  expect((await farmIn({ environment: { CROSSFARM_TRUST: '1' } }, 'devices')).code).toBe(0);
  expect((await farm('devices')).code).toBe(2);
});

test('a state folder inside the folder grants nothing', async () => {
  const { folder, write, farmIn } = await aStrangersFolder();
  await write('devices.json', running);
  const relative = { environment: { XDG_STATE_HOME: 'state', HOME: await aFolder() } };
  expect((await farmIn(relative, 'trust', 'grant')).code).toBe(0);
  expect(existsSync(join(folder, 'state'))).toBe(false);
});

test('a build that the farm itself added needs no question', async () => {
  const { folder, state, farm } = await aStrangersFolder();
  await withEnvironment({ CROSSFARM_TRUST: '', XDG_STATE_HOME: state }, () =>
    storedBuilds(join(folder, '.farm', 'farm.db'), 'chromium', ['999.0.1']),
  );
  const { code, stderr } = await farm('devices', '--device', 'chromium@999');
  expect(code, stderr).toBe(0);
  const [name = ''] = await readdir(join(state, 'crossfarm', 'trusted'));
  expect(await readFile(join(state, 'crossfarm', 'trusted', name), 'utf8')).toContain('kept.json');
});

test('a database that a stranger brought along has no program run', async () => {
  const { folder, farmIn } = await aFakeFarm();
  const untrusting = { environment: { CROSSFARM_TRUST: '', XDG_STATE_HOME: await aFolder() } };
  const farm = (...args: readonly string[]) => farmIn(untrusting, ...args);
  expect((await farm('trust', 'grant')).code).toBe(0);
  await farm('compare', 'one', 'two', '--bench', 'promise', '--max-blocks', '1');
  const further = ['compare', '--continue', '1', '--max-blocks', '1'];
  const own = await farm(...further);
  expect(own.stderr).not.toContain('is not trusted');
  await copyFile(join(folder, '.farm', 'farm.db'), join(folder, 'copy.db'));
  const { code, stderr } = await farm(...further, '--database', 'copy.db');
  expect(code, stderr).toBe(2);
  expect(stderr).toMatch(/copy\.db is not trusted yet: a run in it runs/);
  expect((await farm('trust', 'grant', 'copy.db')).code).toBe(0);
  expect((await farm(...further, '--database', 'copy.db')).stderr).not.toContain('is not trusted');
});

test('a link to a trusted file grants nothing to adjacent programs', async () => {
  const own = await aStrangersFolder();
  await own.write('devices.json', running);
  expect((await own.farm('trust', 'grant')).code).toBe(0);
  const other = await aStrangersFolder();
  await symlink(join(own.folder, 'devices.json'), join(other.folder, 'devices.json'));
  const sameUser = { environment: { XDG_STATE_HOME: own.state } };
  const { code, stderr } = await other.farmIn(sameUser, 'devices');
  expect({ code, ran: other.hasRun() }, stderr).toEqual({ code: 2, ran: false });
});
