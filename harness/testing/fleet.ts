import { randomUUID } from 'node:crypto';
import { test } from '@playwright/test';
import { describeMachine } from '../core/setup/machine.ts';
import { readFarmUrl } from '../features/fleet/farm-url.ts';
import type { takeHost } from '../features/fleet/hosts.ts';
import { JobQueue, priorities } from '../features/fleet/jobs.ts';
import { FarmServer } from '../features/fleet/server.ts';
import type { FakeFarm } from './fake-farm.ts';
import type { Surroundings } from './in-process-farm.ts';
import { findPostgres, noPostgres, startPostgres, type TestPostgres } from './postgres.ts';

/** The equipment of a test of many machines; where PostgreSQL is missing it is skipped with that reason. */
export interface TestFleet {
  server(): TestPostgres;
  withQueue<T>(work: (queue: JobQueue, server: FarmServer) => Promise<T>): Promise<T>;
  /** Runs a command with the address of the server. */
  runIn(
    farm: FakeFarm,
    words: readonly string[],
    more?: Pick<Surroundings, 'signal' | 'onOutput'>,
  ): ReturnType<FakeFarm['farmIn']>;
  /** Runs a worker until no job waits. */
  startWorker(farm: FakeFarm, host: string, signal?: AbortSignal): ReturnType<FakeFarm['farmIn']>;
}

/** Starts one server for all tests of a file. */
export function useFleet(): TestFleet {
  let postgres: TestPostgres | null = null;
  test.describe.configure({ mode: 'default' });
  test.beforeAll(async () => {
    if (findPostgres() !== null) postgres = await startPostgres();
  });
  test.afterAll(async () => {
    await postgres?.remove();
  });
  const server = (): TestPostgres => {
    test.skip(postgres === null, noPostgres);
    if (postgres === null) throw new Error(noPostgres);
    return postgres;
  };
  const runIn: TestFleet['runIn'] = ({ farmIn }, words, more = {}) =>
    farmIn({ environment: { CROSSFARM_FLEET: server().url }, ...more }, ...words);
  return {
    server,
    withQueue: async (work) => {
      const connection = new FarmServer(readFarmUrl(server().url));
      const queue = await JobQueue.open(connection);
      try {
        return await work(queue, connection);
      } finally {
        await queue.close();
        await connection.close();
      }
    },
    runIn,
    startWorker: (farm, host, signal) =>
      runIn(farm, ['worker', '--as', host, '--drain'], signal === undefined ? {} : { signal }),
  };
}

/** A short command of `aFakeFarm`. */
export function aJob(
  host: string,
  { trials = 3, who = 'person' as keyof typeof priorities } = {},
): Parameters<JobQueue['submit']>[0] {
  const words = ['run', '--bench', 'control', '--device', 'one', '--trials', String(trials)];
  return { host, words, priority: priorities[who], askedBy: 'test' };
}

export function aHost(name: string): Parameters<typeof takeHost>[1] {
  const facts = { ...describeMachine(), devices: [], inventory: [] };
  return { name, worker: randomUUID(), version: '1', facts };
}
