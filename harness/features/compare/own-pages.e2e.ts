/** A page of one's own in real browsers: opened by its name, and two browsers compared on it. */
import { expect, test } from '@playwright/test';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolderOf } from '../../testing/folder.ts';

const isMissing = [
  ['chromium', 'chromium-browser'],
  ['firefox', 'firefox-esr'],
].some((names) => findOnPath(names) === null);
test.skip(isMissing, 'Chromium or Firefox is not installed');

const page = `<!doctype html><title>x</title><p>text</p><script>
  performance.mark('from');
  for (let i = 0, x = 0; i < 3e6; i++) globalThis.kept = x = (x * 31 + i) | 0;
  performance.measure('loop', 'from');
</script>`;

interface Opened {
  readonly browsers: readonly {
    readonly device: string;
    readonly status: string;
    readonly measures: readonly { readonly title: string; readonly value: number | null }[];
    readonly errors: readonly string[];
  }[];
}

test('opens a page by its name in each browser, and tells its errors', async () => {
  const folder = await aFolderOf({
    'mine.html': page,
    'wrong.html': `${page}<script>throw new Error('gone for good')</script>`,
  });
  const browsers = ['--browsers', 'chromium,firefox'];
  const run = await farm(folder, 'mine.html', 'wrong.html', ...browsers, '--json');
  const { browsers: opened } = JSON.parse(run.stdout) as Opened;
  expect(
    opened.map(({ device, status }) => `${device} ${status}`),
    run.stderr,
  ).toEqual([...['chromium opened', 'firefox opened', 'chromium opened', 'firefox opened']]);
  for (const { measures } of opened) {
    const titles = measures.flatMap(({ title, value }) =>
      value !== null && value > 0 ? [title] : [],
    );
    expect(titles).toEqual(expect.arrayContaining(['load', 'first contentful paint', 'loop']));
  }
  expect(opened.map(({ errors }) => errors.length)).toEqual([0, 0, 1, 1]);
  expect(run.code).toBe(1);
  expect(leftRunning(folder)).toEqual([]);
});

test('two browsers are compared on a page of one’s own', async () => {
  const folder = await aFolderOf({ 'mine.html': page });
  const brief = ['--measurement', 'fast', '--max-blocks', '1', '--no-probes', '--json'];
  const run = await farm(folder, 'compare', 'chromium', 'firefox', '--page', 'mine.html', ...brief);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({
    a: { device: 'chromium', case: 'page version=mine.html' },
    b: { device: 'firefox', case: 'page version=mine.html' },
    blocks: 1,
    ratio: expect.any(Number),
  });
});
