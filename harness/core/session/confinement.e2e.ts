import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { pagesFolder } from '../project.ts';
import { farm, newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { forbidsNamespaces, whyNoConfinement } from './confinement.ts';

const why = whyNoConfinement();
test.skip(why !== null, why ?? '');

/** A benchmark that tries to reach out, and tells what it got in place of a result. */
const spy = `
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { spawnSync } from 'node:child_process';
export const id = 'spy';
const got = (act) => { try { return String(act() ?? 'done'); } catch (error) { return error.code ?? error.message; } };
const reach = (target) => new Promise((resolve) => {
  const socket = connect(target, () => resolve('connected'));
  socket.on('error', ({ code }) => resolve(code));
});
export async function prepare() {
  throw new Error(JSON.stringify({
    shadow: got(() => readFileSync('/etc/shadow')),
    secret: got(() => readFileSync(SECRET)),
    home: got(() => readdirSync(process.env.HOME)),
    pages: got(() => writeFileSync(new URL('spoilt.js', import.meta.url), '')),
    usr: got(() => writeFileSync('/usr/spoilt', '')),
    own: got(() => writeFileSync(process.env.TMPDIR + '/mine', '')),
    others: readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length,
    uid: process.getuid(),
    namespace: spawnSync('unshare', ['--user', 'true']).status,
    limits: readFileSync('/proc/self/limits', 'utf8'),
    outOfMemory: readFileSync('/proc/self/oom_score_adj', 'utf8').trim(),
    // Nothing is written to it: it only has to be given.
    memory: got(() => Array.from({ length: GIGABYTES }, () => new ArrayBuffer(2 ** 30)).length),
    net: await reach({ host: '192.0.2.1', port: 80 }),
    farm: await reach({ host: '127.0.0.1', port: OPEN }),
  }));
}`;

test('a confined benchmark sees only its pages and its session @attack', async () => {
  const folder = await aFolder();
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'hunter2');
  // Another server on this machine: only that of the pages may be reached.
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  mkdirSync(join(folder, 'pages', 'spy'), { recursive: true });
  cpSync(join(pagesFolder(), 'kit'), join(folder, 'pages', 'kit'), { recursive: true });
  writeFileSync(join(folder, 'pages', 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'pages', 'spy', 'benchmark.json'),
    JSON.stringify({
      id: 'spy',
      version: 1,
      title: 'Spy',
      description: 'Looks around.',
      page: 'index.html',
      hosts: ['runtime'],
      parameters: [],
      metrics: [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
    }),
  );
  writeFileSync(
    join(folder, 'pages', 'spy', 'benchmark.js'),
    spy
      .replace('SECRET', JSON.stringify(secret))
      .replace('OPEN', String(port))
      .replace('GIGABYTES', String(Math.ceil(totalmem() / 2 ** 30))),
  );
  const measuring = ['--pages', 'pages', '--bench', 'spy', '--device', 'node', '--trials', '1'];
  await farm(folder, 'run', ...measuring);
  other.close();
  const [trial] = await newestTrials(folder);
  const message = trial?.outcome.kind === 'failed' ? trial.outcome.failure.message : '';
  expect(message).toContain('prepare: Error: {');
  const seen = JSON.parse(message.slice(message.indexOf('{'))) as Record<string, unknown>;
  expect(seen).toMatchObject({
    shadow: 'ENOENT',
    secret: 'ENOENT',
    home: 'ENOENT',
    pages: 'EROFS',
    usr: expect.stringMatching(/EROFS|EACCES/),
    own: 'done',
    net: 'ENETUNREACH',
    farm: 'ECONNREFUSED',
  });
  expect(seen['others']).toBeLessThan(6);
  expect(seen['limits']).toMatch(/Max processes +4096 /);
  expect(seen['limits']).toMatch(/Max file size +1073741824 /);
  expect(seen['outOfMemory']).toBe('1000');
  expect(seen['memory']).toBe('Array buffer allocation failed');
  if (forbidsNamespaces()) expect(seen['namespace']).not.toBe(0);
  expect(seen['uid']).toBe(process.getuid?.() === 0 ? 64_321 : process.getuid?.());
});

test('works in a temporary folder whose path is too long for sockets', async () => {
  const folder = await aFolder();
  const temporary = join(folder, 'a-long-name'.repeat(12));
  mkdirSync(temporary);
  // Only the first run of this benchmark counts, so its trial is soon over.
  const one = ['--bench', 'thread-start', '--param', 'threads=1'];
  const measuring = [...one, '--device', 'node', '--trials', '1', '--json'];
  const run = await startFarm(folder, ['run', ...measuring], { TMPDIR: temporary });
  expect(run.exitCode).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a farm that is killed takes a confined runtime with it', async () => {
  const folder = await aFolder();
  const measuring = ['--bench', 'control', '--device', 'node', '--trials', '1', '--json'];
  const child = startFarm(folder, ['run', ...measuring]);
  const mark = join(folder, '.farm', 'sessions');
  await expect.poll(() => confinedBelow(mark)).not.toEqual([]);
  child.kill('SIGKILL');
  await child;
  await expect.poll(() => confinedBelow(mark), { timeout: 10_000 }).toEqual([]);
});

/** Pids of what bubblewrap has started for sessions below the folder. */
function confinedBelow(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}
