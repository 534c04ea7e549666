import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright';
import { median } from 'simple-statistics';
import { renderComparison } from '../../reports/comparison.ts';
import { FarmError } from '../core/errors.ts';
import { largeFindings } from './large-findings.ts';
import { foundDevices } from './rig.ts';
import type { BenchRow } from './row.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

const size = { targets: 10, cases: 200, trials: 30 };
const rounds = 5;

/** A large report: its bytes, how long making it takes, its first paint, and a filter of its table. */
export async function reportBench(): Promise<readonly BenchRow[]> {
  const findings = largeFindings(size);
  const began = performance.now();
  const html = await renderComparison(findings);
  const renderMs = performance.now() - began;
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  try {
    const file = join(folder, 'report.html');
    await writeFile(file, html);
    const { paints, filters } = await inChromium(pathToFileURL(file).href);
    const detail = `${String(size.targets)} targets × ${String(size.cases)} cases × ${String(size.trials)} trials`;
    const figure = (name: string, value: number, unit: string): BenchRow => ({
      bench: 'report',
      figure: name,
      value,
      unit,
      ratio: null,
      detail,
    });
    return [
      figure('size', Buffer.byteLength(html) / 1e6, 'MB'),
      figure('made from its findings', renderMs, 'ms'),
      figure(`first paint in Chromium, median of ${String(rounds)}`, median(paints), 'ms'),
      figure(`a filter until the next frame, median of ${String(rounds)}`, median(filters), 'ms'),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Times {
  readonly paints: number[];
  readonly filters: number[];
}

/** Each round in a new page; the browser stays. */
async function inChromium(url: string): Promise<Times> {
  const presences = (await foundDevices()).filter(({ device }) => device.id === 'chromium');
  const target = presences.map((one) => (one.status === 'found' ? one.target : null))[0];
  if (target === undefined || target === null) {
    throw new FarmError('no-device', {
      what: 'Chromium was not found.',
      next: `${npxCrossfarm} devices setup`,
    });
  }
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: target.executable, args });
  try {
    const times: Times = { paints: [], filters: [] };
    for (let round = 0; round < rounds; round += 1) {
      const page = await (await browser.newContext()).newPage();
      await page.goto(url);
      await page.locator('.controls input[type=search]').waitFor({ state: 'attached' });
      times.paints.push(await firstPaint(page));
      times.filters.push(await filter(page));
      await page.context().close();
    }
    return times;
  } finally {
    await browser.close();
  }
}

/** Milliseconds since the navigation began. */
function firstPaint(page: Page): Promise<number> {
  const script = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;
  return page.evaluate<number>(script);
}

/** With the comparison unfolded: from a keystroke until the frame that shows its result. */
function filter(page: Page): Promise<number> {
  const script = `(async () => {
    document.getElementById('comparison').closest('details').open = true;
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await frame();
    const input = document.querySelector('.controls input[type=search]');
    const began = performance.now();
    input.value = '17';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await frame();
    return performance.now() - began;
  })()`;
  return page.evaluate<number>(script);
}
