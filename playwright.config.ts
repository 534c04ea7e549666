import { defineConfig } from '@playwright/test';
import fc from 'fast-check';

// Every worker reads this file. Properties are tried with the same values each time: one that fails
// for a rare value would else fail a change that has nothing to do with it.
fc.configureGlobal({ seed: 1 });

const outside = ['**/node_modules/**', '**/dist/**', '**/.farm/**'];

/**
 * `unit` needs no browser; the others start real ones, which are skipped with a reason where absent.
 *
 * What starts browsers begins when `unit` and `reports` have passed; `--no-deps` leaves those out.
 * A test has more time than it needs by far, because machines are shared: it bounds what hangs.
 */
export default defineConfig({
  testDir: '.',
  testIgnore: outside,
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI']
    ? [['list'], ['json', { outputFile: 'test-results/results.json' }]]
    : [['list']],
  timeout: 150_000,
  expect: { timeout: 60_000 },
  snapshotPathTemplate: 'reports/golden/pictures/{arg}{ext}',
  projects: [
    { name: 'unit', testMatch: ['harness/**/*.test.ts', 'pages/**/*.test.ts'] },
    { name: 'reports', testMatch: ['reports/**/*.test.ts'] },
    {
      name: 'drivers',
      testMatch: ['drivers/**/*.test.ts'],
      dependencies: ['unit', 'reports'],
    },
    {
      name: 'end-to-end',
      testMatch: ['**/*.e2e.ts'],
      dependencies: ['unit', 'reports'],
    },
  ],
});
