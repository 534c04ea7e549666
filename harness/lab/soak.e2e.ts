import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soak } from './soak.ts';

test(
  'one process measures run after run, reports its state, and leaves nothing behind',
  { tag: '@campaign' },
  async () => {
    test.skip(!existsSync('/proc'), 'leftovers are found by /proc');
    test.setTimeout(180_000);
    const folder = await mkdtemp(join(tmpdir(), 'cf-soak-'));
    const looks = await soak({
      folder,
      forMs: 0,
      fewest: 2,
      say: () => undefined,
      narrow: ['--bench', 'control', '--device', 'node', '--trials', '1', '--fast'],
    });
    await rm(folder, { recursive: true, force: true });
    expect(looks).toHaveLength(2);
    for (const look of looks) {
      expect(look).toMatchObject({ exitCode: 0, processes: 0, diskFiles: 0 });
      expect(look.heapBytes).toBeGreaterThan(0);
      expect(look.openFiles).toBeGreaterThan(0);
    }
  },
);
