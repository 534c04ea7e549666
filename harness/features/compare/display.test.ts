/** The display of the pages of a comparison: cautions, and trials that are not pooled. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

const software = {
  renderer: 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
  isSlow: true,
  scale: 1,
  viewport: [1280, 720],
  screen: [1280, 720],
};
const gpu = { ...software, renderer: 'Apple M1', isSlow: false };

/** Two versions of a page that paint, on what the test says for each time that it is asked. */
async function paintedPages(drawnBy: (asked: number) => object): Promise<FakeFarm> {
  let asked = 0;
  const scene = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => ({ load: 10, fcp: version === 'new.html' ? 30 : 20 })),
    evaluate: (expression) => {
      if (!expression.includes('webgl')) return JSON.parse(expression) as unknown;
      asked += 1;
      return drawnBy(asked);
    },
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(scene.folder, name), name);
  return scene;
}

const compared = [
  ...['compare', 'old.html', 'new.html', '--seed', '1', '--max-blocks', '7'],
  ...['--measure', 'fcp', '--measure', 'load'],
];

interface Answer {
  readonly displays: readonly object[];
  readonly comparisons: readonly { readonly title: string; readonly cautions: readonly string[] }[];
}

const sentence =
  'first contentful paint in chromium 20 (SwiftShader): drawn by software, so a GPU may give other times and other differences';

test('paints that no GPU drew carry a caution at their row, and loads none', async () => {
  const { farm } = await paintedPages(() => software);
  const { stdout } = await farm(...compared);
  expect(stdout).toMatch(/first contentful paint │ old\.html │ 20\.0 ms │ drawn by software/);
  expect(stdout.replace(/\s+/g, ' ')).toContain(sentence);
  expect(stdout.match(/drawn by software/g)).toHaveLength(2);
  const report = await farm('report', '--terminal');
  expect(report.stdout).toContain('drawn by software');
});

test('the caution stands in Markdown and JSON, too', async () => {
  const { farm } = await paintedPages(() => software);
  const { stdout } = await farm(...compared, '--json');
  const { comparisons, displays } = JSON.parse(stdout) as Answer;
  expect(comparisons.map(({ title, cautions }) => [title, cautions])).toEqual([
    ['first contentful paint', ['drawn by software']],
    ['load', []],
  ]);
  expect(displays).toEqual([
    {
      device: 'chromium',
      drawnBy: 'software',
      rasteriser: 'SwiftShader',
      window: 'headless',
      scale: 1,
      viewport: '1280 × 720',
      screen: '1280 × 720',
    },
  ]);
  const { stdout: markdown } = await farm(...compared, '--markdown');
  expect(markdown).toMatch(/first contentful paint \(drawn by software\) \| 20\.0 ms \| 30\.0 ms/);
  expect(markdown).toMatch(/\| load \| 10\.0 ms/);
});

test('paints of a GPU carry no caution', async () => {
  const { farm } = await paintedPages(() => gpu);
  const { stdout } = await farm(...compared);
  expect(stdout).not.toContain('drawn by');
});

test('a run whose GPU is gone counts no trial that software drew', async () => {
  const { farm } = await paintedPages((asked) => (asked <= 4 ? gpu : software));
  const { stdout } = await farm(...compared);
  expect(stdout).toMatch(/trials did not count: .*drew in another way/);
  expect(stdout).not.toContain('drawn by software');
});
