import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa, type ResultPromise } from 'execa';
import { projectRoot } from '../../core/project.ts';
import { aFolder } from '../../testing/folder.ts';
import { Network } from '../../testing/network.ts';
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

test(
  'three machines, two of them with browsers, measure for a fourth over TLS, one with its cable pulled',
  { tag: '@campaign' },
  async () => {
    test.skip(findPostgres() === null, noPostgres);
    test.setTimeout(300_000);
    const network = new Network('db');
    const hosts = ['rack-1', 'rack-2', 'rack-3'];
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
    const startIn = (machine: string, words: readonly string[], cwd: string): ResultPromise => {
      const [program, ...inside] = network.enter(machine);
      return execa(program, [...inside, ...words], {
        cwd,
        reject: false,
        stdin: 'ignore',
        env: { CROSSFARM_FLEET: url, CROSSFARM_TRUST: '1', NO_COLOR: '1' },
      });
    };
    try {
      for (const [machine, program] of [
        ['rack-1', programs.farm],
        ['rack-2', programs.farm],
        ['rack-3', programs.played],
      ] as const) {
        const own = await aFolder();
        await writeHost(own, program === programs.played);
        const worker = startIn(machine, ['node', program, 'worker', '--as', machine], own);
        workers.push(worker);
        await heard(worker, /waits for jobs/);
      }
      const words = ['run', '--bench', 'control', '--device', 'one', '--trials', '20'];
      const submit = startIn(
        'rack-3',
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

/** @throws an Error with the output if it ends before */
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
