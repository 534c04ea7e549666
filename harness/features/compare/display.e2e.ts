/** The display of the pages of a real browser. */
import { expect, test } from '@playwright/test';
import { findDisplay } from '../../core/model/display.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, newestTrials } from '../../testing/farm.ts';
import { aFolderOf } from '../../testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

const page = `<!doctype html><title>x</title><p>painted</p><script>
  let sum = 0;
  performance.mark('from');
  for (let i = 0; i < 1e6; i += 1) sum += i;
  performance.measure('loop', 'from');
</script>`;

interface Answer {
  readonly comparisons: readonly { readonly title: string; readonly cautions: readonly string[] }[];
}

test('stores what drew each trial, and cautions about paints of software alone', async () => {
  const folder = await aFolderOf({ 'old.html': page, 'new.html': page });
  const run = await farm(
    folder,
    ...['compare', 'old.html', 'new.html', '--measure', 'fcp', '--measure', 'measure:loop'],
    ...['--browsers', 'chromium', '--measurement', 'fast', '--max-blocks', '1', '--no-probes'],
    '--json',
  );
  expect(run.code, run.stderr).not.toBe(3);
  const displays = (await newestTrials(folder)).map(({ outcome }) =>
    outcome.kind === 'completed' ? findDisplay(outcome.readings) : null,
  );
  expect(displays.length).toBeGreaterThanOrEqual(2);
  for (const display of displays) {
    expect(display).toMatchObject({ window: 'headless', scale: 1 });
    expect(display).toEqual(displays[0]);
  }
  const cautions = displays[0]?.drawnBy === 'software' ? ['drawn by software'] : [];
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  expect(comparisons.map(({ title, cautions: own }) => [title, own])).toEqual([
    ['first contentful paint', cautions],
    ['loop', []],
  ]);
});
