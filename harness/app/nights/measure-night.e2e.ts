import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FarmError } from '../../errors.ts';
import { pagesFolder } from '../../project.ts';
import { openStore } from '../../store/store.ts';
import { aFolder } from '../../testing/folder.ts';
import { completeNight, type GivenNight } from './night-options.ts';
import { measureNight } from './measure-night.ts';

test('a night continues by itself a run that a full disk interrupted', async () => {
  const folder = await aFolder();
  const inventory = join(folder, 'devices.json');
  const devices = [{ id: 'node', browser: 'node', driver: 'process' }];
  await writeFile(inventory, JSON.stringify({ devices }));
  const database = join(folder, '.farm', 'farm.db');
  const given = {
    inventory,
    database,
    pages: pagesFolder(),
    port: 0,
    deadline: 120_000,
    probes: false,
    bench: ['promise'],
    device: ['node'],
    param: { operation: ['chain'] },
    trials: 1,
    repeat: false,
    aa: false,
  } as unknown as GivenNight;
  const said: string[] = [];
  const signal = new AbortController().signal;
  const rests: number[] = [];
  await measureNight({
    options: completeNight(given),
    caller: { signal, say: (sentence) => said.push(sentence) },
    notes: {
      found: () => undefined,
      begun: () => {
        throw new FarmError('disk-full', { what: 'No room is left.', next: 'Make room.' });
      },
    },
    before: [],
    goesOn: null,
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
  });
  expect(rests).toHaveLength(1);
  const store = await openStore(database);
  const runs = await store.listRuns();
  const record = await store.readRun(1);
  await store.close();
  expect(runs).toMatchObject([{ id: 1, status: 'finished' }]);
  expect(record?.trials.map(({ outcome }) => outcome.kind)).toEqual(['completed']);
  expect(said.join('\n')).toMatch(/No room.* in 1 min\b/);
});
