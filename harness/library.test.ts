import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeDriver, type FakeAssignment } from '../drivers/fake/fake.ts';
import { aFolder } from './testing/folder.ts';
import { pagesWith } from './testing/fake-pages.ts';
import { matchers } from './matchers.ts';
import {
  compare,
  compareDevices,
  type Comparison,
  follow,
  openStore,
  renderReport,
  run,
} from './library.ts';

/** The output of this process during an action. */
async function printedBy(act: () => Promise<void>): Promise<string> {
  const written: string[] = [];
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write.bind(stream));
  for (const stream of streams) {
    stream.write = (chunk: string | Uint8Array) => written.push(String(chunk)) > 0;
  }
  try {
    await act();
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index]!;
  }
  return written.join('');
}

test('a program follows a run by its events, and ends it by leaving them', async () => {
  const folder = await aFolder();
  const inventory = join(folder, 'devices.json');
  const executable = process.execPath;
  const device = {
    id: 'one',
    browser: 'chromium',
    driver: 'playwright',
    headless: true,
    executable,
  };
  await writeFile(inventory, JSON.stringify({ devices: [device] }));
  const metrics = [{ metric: 'duration', unit: 'ms', timed: [10] }];
  const driver = fakeDriver({ trial: { does: 'completes', metrics } });
  const database = join(folder, 'farm.db');
  const options = {
    inventory,
    database,
    bench: 'control',
    probes: false,
    measurement: 'fast' as const,
  };
  const begin = () =>
    follow(
      (caller) => compareDevices({ a: 'one', b: 'one' }, { ...options, maxBlocks: 20 }, caller),
      {
        loadDriver: () => Promise.resolve(driver),
      },
    );

  const whole = begin();
  const types: string[] = [];
  for await (const { type } of whole) types.push(type);
  expect(types[0]).toBe('onRunStarted');
  expect(types.at(-1)).toBe('onRunEnded');
  expect(types.filter((type) => type === 'onTrialEnded').length).toBeGreaterThanOrEqual(10);
  expect((await whole.result).decision).toMatchObject({ verdict: 'equivalent' });

  const left = begin();
  for await (const { type } of left) if (type === 'onTrialEnded') break;
  expect(await left.result).toMatchObject({ interrupted: true });

  const wrong = follow((caller) => compareDevices({ a: 'one', b: 'two' }, options, caller));
  for await (const event of wrong) expect(event.type).toBe('say');
  await expect(wrong.result).rejects.toThrow(/no device "two"/);
});

test('a program compares two sides by the library, gets each trial, and prints nothing', async () => {
  const folder = await aFolder();
  const inventory = join(folder, 'devices.json');
  const device = { id: 'one', browser: 'chromium', driver: 'playwright', headless: true };
  const executable = process.execPath;
  await writeFile(inventory, JSON.stringify({ devices: [{ ...device, executable }] }));
  const metrics = ({ parameters }: FakeAssignment) => [
    { metric: 'duration', unit: 'ms', timed: [parameters['extraPercent'] === 50 ? 15 : 10] },
  ];
  const driver = fakeDriver({ trial: { does: 'completes', metrics } });
  const ended: string[] = [];
  const said: string[] = [];

  let decided: Comparison['decision'] = null;
  const printed = await printedBy(async () => {
    const { decision } = await compareDevices(
      { a: 'one', b: 'one' },
      {
        inventory,
        database: join(folder, 'farm.db'),
        bench: 'control',
        measurement: 'fast',
        probes: false,
        aParam: { extraPercent: ['50'] },
        maxBlocks: 20,
      },
      {
        signal: new AbortController().signal,
        say: (sentence) => said.push(sentence),
        listener: { onTrialEnded: ({ trial }) => ended.push(trial.outcome.kind) },
        loadDriver: () => Promise.resolve(driver),
      },
    );
    decided = decision;
  });

  expect(printed).toBe('');
  expect(said).toEqual([expect.stringContaining('a smoke test')]);
  expect(new Set(ended)).toEqual(new Set(['completed']));
  expect(decided).toMatchObject({ verdict: 'slower', ratio: expect.closeTo(1.5) });
});

test('every option has a default, and stored runs are read and rendered', async () => {
  const folder = await aFolder();
  const inventory = join(folder, 'devices.json');
  const facts = { browser: 'chromium', driver: 'playwright', headless: true };
  const device = { id: 'one', ...facts, executable: process.execPath };
  await writeFile(inventory, JSON.stringify({ devices: [device] }));
  for (const name of ['10ms.html', '20ms.html'])
    await writeFile(join(folder, name), '<!doctype html>');
  const trial = pagesWith((version) => ({ 'measure:work': parseInt(version, 10) }));
  // One for all: each driver has its own clock, which times the trials.
  const driver = fakeDriver({ trial });
  const caller = { loadDriver: () => Promise.resolve(driver) };

  const before = process.cwd();
  process.chdir(folder);
  try {
    const fast = { measurement: 'fast', probes: false } as const;
    const compared = await compare(['10ms.html', '20ms.html'], fast, caller);
    expect(compared.entries).toMatchObject([{ decision: { decision: { verdict: 'slower' } } }]);
    const { cells } = await run(['20ms.html'], { ...fast, trials: 2, seed: undefined }, caller);
    expect(cells.completed).toBe(2);

    const store = await openStore();
    expect((await store.listRuns()).map(({ id }) => id)).toEqual([2, 1]);
    await store.close();
    expect(await renderReport([compared.run])).toContain('20ms.html');

    const name = '20ms.html';
    const slower = await matchers.toBeSlower(name, '10ms.html', { by: '50%', ...fast, caller });
    expect(slower).toMatchObject({ pass: true });
    await expect(async () => matchers.toBeFaster(name, 'none.html', fast)).rejects.toThrow(
      'none.html',
    );
  } finally {
    process.chdir(before);
  }
});
