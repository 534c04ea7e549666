import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa, type ResultPromise } from 'execa';
import { findOnPath } from '../../core/setup/executable.ts';
import { projectRoot } from '../../core/project.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  findPostgres,
  makeCertificate,
  noPostgres,
  startPostgres,
} from '../../testing/postgres.ts';
import { readFarmUrl } from './farm-url.ts';

const programs = {
  farm: join(projectRoot(), 'dist/harness/main.js'),
  played: join(projectRoot(), 'dist/harness/lab/fleet/played-host.js'),
};

/** A network of three machines, which nothing else sees: one for PostgreSQL, two with browsers. */
class Network {
  readonly #mark = `cf${String(process.pid)}`;

  /** Name of the namespace of a machine. */
  name(machine: string): string {
    return `${this.#mark}-${machine}`;
  }

  /** @returns why there can be none, or null */
  async make(machines: readonly string[]): Promise<string | null> {
    if (process.getuid?.() !== 0 || findOnPath(['ip']) === null || findOnPath(['nsenter']) === null)
      return 'network namespaces need root, ip and nsenter';
    const db = this.name('db');
    if ((await execa('ip', ['netns', 'add', db], { reject: false })).failed)
      return 'network namespaces are not allowed here';
    const inDb = (...words: readonly string[]) => execa('ip', ['-n', db, ...words]);
    await inDb('link', 'add', 'bridge0', 'type', 'bridge');
    await inDb('addr', 'add', '10.77.0.1/24', 'dev', 'bridge0');
    for (const link of ['lo', 'bridge0']) await inDb('link', 'set', link, 'up');
    for (const [index, machine] of machines.entries()) {
      const name = this.name(machine);
      await execa('ip', ['netns', 'add', name]);
      const inside = (...words: readonly string[]) => execa('ip', ['-n', name, ...words]);
      await inDb('link', 'add', machine, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      await inDb('link', 'set', machine, 'master', 'bridge0', 'up');
      await inside('addr', 'add', `10.77.0.${String(index + 2)}/24`, 'dev', 'eth0');
      for (const link of ['lo', 'eth0']) await inside('link', 'set', link, 'up');
    }
    return null;
  }

  async plug(machine: string, state: 'up' | 'down'): Promise<void> {
    await execa('ip', ['-n', this.name(machine), 'link', 'set', 'eth0', state]);
  }

  async remove(machines: readonly string[]): Promise<void> {
    for (const machine of ['db', ...machines])
      await execa('ip', ['netns', 'delete', this.name(machine)], { reject: false });
  }
}

test(
  'two machines measure for a third over TLS, one of them with its cable pulled meanwhile',
  { tag: '@campaign' },
  async () => {
    test.skip(findPostgres() === null, noPostgres);
    test.setTimeout(300_000);
    const network = new Network();
    const hosts = ['rack-1', 'rack-2'];
    const impossible = await network.make(hosts);
    test.skip(impossible !== null, impossible ?? '');
    const folder = await aFolder();
    const tls = await makeCertificate(folder, '10.77.0.1');
    const postgres = await startPostgres({
      tls,
      address: '10.77.0.1',
      namespace: network.name('db'),
    });
    const url = `${postgres.url}?sslrootcert=${tls.file}`;
    expect(readFarmUrl(url).connection.ssl).toBe(true);
    const workers: ResultPromise[] = [];
    const startIn = (machine: string, words: readonly string[], cwd: string): ResultPromise =>
      execa('nsenter', [`--net=/run/netns/${network.name(machine)}`, '--', ...words], {
        cwd,
        reject: false,
        stdin: 'ignore',
        env: { CROSSFARM_FLEET: url, CROSSFARM_TRUST: '1', NO_COLOR: '1' },
      });
    try {
      for (const [machine, program] of [
        ['rack-1', programs.farm],
        ['rack-2', programs.played],
      ] as const) {
        const own = await aFolder();
        await writeHost(own, program === programs.played);
        const worker = startIn(machine, ['node', program, 'worker', '--as', machine], own);
        workers.push(worker);
        await heard(worker, /waits for jobs/);
      }
      const words = ['run', '--bench', 'control', '--device', 'one', '--trials', '20'];
      const submit = startIn(
        'rack-2',
        ['node', programs.farm, 'submit', '--json', '--on', 'all', ...words],
        folder,
      );
      await heard(submit, /on rack-1: \d+ of 20 trials/);
      await network.plug('rack-1', 'down');
      await heard(workers[0]!, /sent later/);
      await network.plug('rack-1', 'up');
      const { exitCode, stdout, stderr } = await submit;
      expect(exitCode, String(stderr)).toBe(0);
      const jobs = JSON.parse(String(stdout)) as readonly object[];
      expect(jobs).toEqual(
        hosts.map((host) => expect.objectContaining({ host, state: 'done', exitCode: 0 })),
      );
    } finally {
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers);
      await postgres.remove();
      await network.remove(hosts);
    }
  },
);

async function writeHost(folder: string, isPlayed: boolean): Promise<void> {
  const facts = { id: 'one', browser: 'chromium', driver: 'playwright', headless: true };
  const device = isPlayed ? { ...facts, executable: process.execPath } : facts;
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const all = { measurement: 'fast', probes: false };
  await writeFile(join(folder, 'crossfarm.config.json'), JSON.stringify({ all }));
}

/** @throws an Error with what was said where it ends before */
function heard(child: ResultPromise, what: RegExp): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (bytes: Buffer) => {
      said += String(bytes);
      if (what.test(said)) resolve();
    });
    void child.then(() => {
      reject(new Error(`it ended without ${String(what)}: ${said}`));
    });
  });
}
