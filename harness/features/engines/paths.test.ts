import { expect, test } from '@playwright/test';
import { renderBuilds, type KeptBuild } from './paths.ts';

function aBuild(version: string, run: number | null): KeptBuild {
  const stored = {
    product: 'chromium',
    version,
    executable: '/builds/chrome',
    bytes: 300 * 2 ** 20,
    keptAt: '2026-11-20T10:00:00.000Z',
  };
  const id = `chromium@${version.split('.')[0] ?? ''}`;
  const { bytes } = stored;
  return {
    build: { id, browser: 'chromium', version, source: 'night', bytes, state: 'here', stored },
    run,
  };
}

test('kept builds are listed with the newest run of each', () => {
  const page = renderBuilds([aBuild('110.0.1', 3), aBuild('153.0.2', null)]);
  expect(page).toContain('2 builds are kept here, 600 MiB');
  expect(page).toContain('<a href="/runs/3">run 3</a>');
  expect(page).toContain('not measured');
  expect(page).toContain('npx crossfarm compare chromium@110 chromium@153 --bench fib');
});

test('a name from outside stays text', () => {
  const page = renderBuilds([aBuild('<img src=x onerror=alert(1)>', null)]);
  expect(page).not.toContain('<img src=x');
});

test('without a build the page says how to get one', () => {
  const page = renderBuilds([]);
  expect(page).toContain('No build is kept here');
  expect(page).toContain('npx crossfarm engines get chromium@110 chromium@153');
});
