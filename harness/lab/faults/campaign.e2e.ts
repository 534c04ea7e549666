import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCampaign } from './campaign.ts';

test(
  'three kills of the farm lose no stored trial, double no cell, and leave no unfinished run and no process',
  { tag: '@campaign' },
  async () => {
    test.skip(!existsSync('/proc'), 'processes are found by /proc');
    test.setTimeout(300_000);
    const folder = await mkdtemp(join(tmpdir(), 'cf-faults-'));
    const result = await runCampaign({
      folder,
      seed: 7,
      faults: 3,
      devices: ['node'],
      blocks: 3,
      measurement: 'fast',
      pages: [],
      work: 'runs',
      outside: ['farm killed -9', 'everything killed'],
      say: () => undefined,
    });
    await rm(folder, { recursive: true, force: true });
    expect(result).toMatchObject({
      lostTrials: 0,
      duplicatedCells: 0,
      cellsWithoutOutcome: 0,
      withoutEnd: 0,
      leftoverProcesses: 0,
      findings: [],
    });
    const injected = Object.values(result.faults).reduce((sum, count) => sum + count, 0);
    expect(injected).toBeGreaterThanOrEqual(3);
    expect(result.restarts).toBeGreaterThan(0);
  },
);

test(
  'a night whose farm is killed three times stays one night with every cell, its report and its exit code',
  { tag: '@campaign' },
  async () => {
    test.skip(!existsSync('/proc'), 'processes are found by /proc');
    test.setTimeout(300_000);
    const folder = await mkdtemp(join(tmpdir(), 'cf-faults-'));
    const result = await runCampaign({
      folder,
      seed: 11,
      faults: 3,
      devices: ['node'],
      blocks: 2,
      measurement: 'fast',
      pages: [],
      work: 'nights',
      outside: ['farm killed -9', 'everything killed'],
      say: () => undefined,
    });
    await rm(folder, { recursive: true, force: true });
    expect(result).toMatchObject({
      lostTrials: 0,
      duplicatedCells: 0,
      cellsWithoutOutcome: 0,
      withoutEnd: 0,
      leftoverProcesses: 0,
      findings: [],
    });
    expect(new Set(Object.values(result.flaws))).toEqual(new Set([0]));
    expect(result.restarts).toBeGreaterThan(0);
  },
);
