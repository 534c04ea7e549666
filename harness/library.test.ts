import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeDriver, type FakeAssignment } from '../drivers/fake/fake.ts';
import { aFolder } from './testing/folder.ts';
import { compare, compareDefaults, type Comparison } from './library.ts';

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
    const { decision } = await compare(
      { a: 'one', b: 'one' },
      {
        ...compareDefaults,
        inventory,
        database: join(folder, 'farm.db'),
        bench: 'control',
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
  expect(said).toEqual([]);
  expect(new Set(ended)).toEqual(new Set(['completed']));
  expect(decided).toMatchObject({ verdict: 'slower', ratio: expect.closeTo(1.5) });
});
