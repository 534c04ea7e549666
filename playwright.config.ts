import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import fc from 'fast-check';

// Every worker reads this file. Properties are tried with the same values each time: one that fails
// for a rare value would else fail a change that has nothing to do with it.
fc.configureGlobal({ seed: 1 });

// Two workers run farms side by side, which a farm would wait for: of most tests no time is judged,
// and those that judge one cope with a busy machine in any case. `host-lock.test.ts` uses separate
// locks.
process.env['CROSSFARM_HOST_LOCK'] = 'off';

// The devices files and builds of scenes name programs: none of them asks. Workers and the farms
// that they start inherit it; harness/core/cli/trust.test.ts does without.
process.env['CROSSFARM_TRUST'] ??= '1';
// Tests leave no trace in a user's own state.
process.env['XDG_STATE_HOME'] = join(import.meta.dirname, 'test-results', 'state');

const outside = [
  ...['**/node_modules/**', '**/dist/**', '**/.farm/**', '**/test-results/**'],
  // Tests of a user, by Vitest.
  'examples/**',
];

/** Tests that start real browsers: `*.e2e.ts`, and `reports`, whose pictures a Chromium draws. */
const e2e = '**/*.e2e.ts';
/** Takes minutes, or more runs of a simulation than a change needs. */
const campaign = /@campaign/;
const quick = /@quick/;
const elsewhere = [campaign, quick];

/**
 * `npm test` is `unit`, `reports` and `engines`, which is one test or two of each engine;
 * `test:browsers` is `drivers` and `end-to-end`, without those; `test:campaign` is `campaign`. A
 * test that needs a browser is skipped with a reason where it is absent.
 *
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
    {
      name: 'unit',
      testMatch: ['harness/**/*.test.ts', 'pages/**/*.test.ts', 'drivers/**/*.test.ts'],
      grepInvert: campaign,
    },
    { name: 'reports', testMatch: 'reports/**/*.test.ts', grepInvert: campaign },
    { name: 'engines', testMatch: e2e, grep: quick },
    { name: 'drivers', testMatch: 'drivers/**/*.e2e.ts', grepInvert: elsewhere },
    {
      name: 'end-to-end',
      testMatch: e2e,
      testIgnore: [...outside, 'drivers/**'],
      grepInvert: elsewhere,
    },
    { name: 'campaign', testMatch: ['**/*.test.ts', e2e], grep: campaign },
  ],
});
