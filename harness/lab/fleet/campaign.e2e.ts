import { expect, test } from '@playwright/test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, noPostgres } from '../../testing/postgres.ts';
import { runFleetCampaign } from './campaign.ts';

test(
  'a fleet whose workers, networks, disks and server break loses, doubles and miscounts no trial',
  { tag: '@campaign' },
  async () => {
    test.skip(findPostgres() === null, noPostgres);
    test.setTimeout(400_000);
    const folder = await mkdtemp(join(tmpdir(), 'cf-fleet-'));
    const result = await runFleetCampaign({
      folder,
      seed: 3,
      faults: 8,
      hosts: 2,
      awayMs: [1_000, 3_000],
      hostFaults: [
        'worker killed -9',
        'browser killed',
        'network cut',
        'connections reset',
        'clock set forward or back',
        'disk full',
        'job cancelled',
        'second worker of its name',
      ],
      serverFaults: ['PostgreSQL killed -9', 'PostgreSQL away'],
      say: () => undefined,
    });
    await rm(folder, { recursive: true, force: true });
    expect(result).toMatchObject({
      lostTrials: 0,
      wrongTrials: 0,
      doubledJobs: 0,
      incompleteRuns: 0,
      unendedJobs: 0,
      staleTrials: 0,
      findings: [],
    });
    const injected = Object.values(result.faults).reduce((sum, one) => sum + one, 0);
    expect(injected).toBeGreaterThanOrEqual(8);
    expect(result.trials).toBeGreaterThan(0);
  },
);
