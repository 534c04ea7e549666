import { expect, test } from '@playwright/test';
import { aCase, aFoundDevice, aJob, aRecord, aTrial } from '../../testing/builders.ts';
import type { RunRecord } from '../model/run.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-11-22T00:00:00.000Z', farmVersion: '0.1.0' };

/** One case, three times on each device. */
function aRunOn(devices: readonly string[], run: Partial<RunRecord['run']> = {}): RunRecord {
  const trials = [0, 1, 2].flatMap((block) =>
    devices.map((deviceId, place) =>
      aTrial(
        aJob({ deviceId, block, ordinal: block * devices.length + place, case: aCase(12) }),
        [10],
      ),
    ),
  );
  const record = aRecord(
    devices.map((id) => aFoundDevice(id)),
    trials,
  );
  return { ...record, run: { ...record.run, ...run } };
}

function commandOf(record: RunRecord): string | undefined {
  return describeRun(record, writing).rows[0]?.command;
}

test('repeats a case on the measured devices, with their trials and isolation', () => {
  const command = commandOf(aRunOn(['chromium', 'firefox'], { isolation: 'page' }));
  expect(command).toMatch(/^npx crossfarm run --bench fib .*--param n=12 /);
  expect(command).toMatch(/ --device chromium,firefox --trials 3 --isolation page$/);
});

test('repeats the inventory, pages and deadline of the run', () => {
  const given = "--inventory 'my devices.json' --pages ../pages --deadline 30";
  const command = commandOf(
    aRunOn(['chromium'], { command: `npx crossfarm run ${given} --seed 1` }),
  );
  expect(command?.endsWith(` --isolation session ${given}`)).toBe(true);
});

test('repeats sides of no inventory by the command of their run', () => {
  const command = 'npx crossfarm compare node node --a-flag=--jitless --seed 1';
  expect(commandOf(aRunOn(['node@a', 'node@b'], { command }))).toBe(command);
});
