import { defineConfig } from '@playwright/test';

const outside = ['**/node_modules/**', '**/dist/**', '**/.farm/**'];

/** `unit` needs no browser; the others start real ones, which are skipped with a reason where absent. */
export default defineConfig({
  testDir: '.',
  testIgnore: outside,
  // Browsers are timed by the code under test, so two tests with browsers never share this machine.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI']
    ? [['list'], ['json', { outputFile: 'test-results/results.json' }]]
    : [['list']],
  timeout: 60_000,
  projects: [
    { name: 'unit', testMatch: ['harness/**/*.test.ts', 'pages/**/*.test.ts'] },
    { name: 'drivers', testMatch: ['drivers/**/*.test.ts'] },
    { name: 'reports', testMatch: ['reports/**/*.test.ts'] },
    { name: 'end-to-end', testMatch: ['**/*.e2e.ts'] },
  ],
});
