/** Reports and the explorer in every engine of this machine, moved by the farm's own drivers. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadDriver } from '../drivers/index.ts';
import type { Device } from '../harness/core/model/device.ts';
import { openDisplay } from '../harness/core/session/display.ts';
import { startSession, type LiveSession } from '../harness/core/session/session.ts';
import { findDevice } from '../harness/core/setup/presence.ts';
import { aDevice } from '../harness/testing/builders.ts';
import { aStoredHistory } from '../harness/testing/stored-history.ts';
import { renderEvidence } from '../harness/features/claims/evidence-page.ts';
import { drawOnce } from './golden/draw-once.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { aNightExample } from './golden/night-example.ts';
import { poisoned } from './golden/hostile.ts';
import { serveExplorer } from './golden/opened-explorer.ts';
import { aRunsExample } from './golden/runs-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';
import { renderWhole } from './golden/whole-report.ts';

const never = new AbortController().signal;
const patienceMs = 60_000;

const engines: readonly Device[] = [
  aDevice('chromium', { browser: 'chromium', driver: 'playwright' }),
  aDevice('firefox', { browser: 'firefox', driver: 'puppeteer' }),
  aDevice('webkitgtk', { browser: 'webkitgtk', driver: 'webdriver' }),
];

const draw = drawOnce(renderWhole);
const example = anExample();
const hostile = poisoned(example);
const runs = aRunsExample();
const night = aNightExample();
const studies = aStudiesExample();
const drawEvidence = drawOnce(renderEvidence);
const evidence = anEvidence();

interface Setting {
  readonly session: LiveSession;
  /** An empty folder of this browser's own. */
  readonly folder: string;
}

/** One browser for all tests of a block, which are skipped with the reason where it is missing. */
function useEngine(device: Device): () => Setting {
  let setting: Setting | undefined;
  /** Started processes, in the order in which they end. */
  const endings: (() => Promise<unknown>)[] = [];
  test.beforeAll(async () => {
    const driver = await loadDriver(device.driver);
    const presence = await findDevice(device, driver);
    test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');
    if (presence.status === 'missing') return;
    // Not in the test's own folder: its path would be too long for the browser's sockets.
    const folder = await mkdtemp(join(tmpdir(), 'farm-'));
    endings.unshift(() => rm(folder, { recursive: true, force: true }));
    // A root farm's Chromium is another user, who reads the report.
    await chmod(folder, 0o755);
    const display = await openDisplay().catch(() => null);
    if (display !== null) endings.unshift(() => display.close());
    const session = await startSession(presence.target, driver, {
      directory: folder,
      display: () => Promise.resolve(display?.name ?? ''),
      signal: never,
      timeoutMs: patienceMs,
    });
    endings.unshift(() => session.close());
    setting = { session, folder };
  });
  test.afterAll(async () => {
    for (const end of endings.splice(0)) await end();
  });
  return () => {
    if (setting === undefined) throw new Error('The browser was not started.');
    return setting;
  };
}

/** Asks the page until the answer is as expected: a page may still be on its way. */
async function until(session: LiveSession, expression: string, expected: unknown): Promise<void> {
  let [asked, answered] = [0, 0];
  const ask = async (): Promise<unknown> => {
    asked += 1;
    try {
      return await session.evaluate?.(expression);
    } catch (error) {
      return String(error);
    } finally {
      answered += 1;
    }
  };
  try {
    await expect.poll(ask, { timeout: patienceMs, message: expression }).toEqual(expected);
  } catch (error) {
    // A reader of the failure first asks for the page's own messages.
    const seen = `[location.href, document.readyState, history.length, performance.getEntriesByType('navigation')[0]?.type, document.body?.innerText.slice(0, 1000)].join(' | ')`;
    const page = await session.evaluate?.(seen).catch(String);
    // An answer that never came is another fault than a wrong one.
    const answers = `${String(answered)} of ${String(asked)} questions were answered`;
    throw new Error(`${answers}. The page reads: ${String(page)}`, { cause: error });
  }
}

async function openReport({ session, folder }: Setting, name: string, page: string): Promise<void> {
  const file = join(folder, `${name}.html`);
  await writeFile(file, page);
  await session.open(pathToFileURL(file).href, { signal: never, timeoutMs: patienceMs });
  // The script unpacked the data, so it ran, and the policy let it.
  await until(session, `document.querySelectorAll('#download a').length > 0`, true);
}

/** Checks that hold for every page. */
const manners = `({
  beyondTheScreen: Math.max(0, document.documentElement.scrollWidth - innerWidth),
  loaded: performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('blob:')).length,
  owned: typeof window.owned,
})`;

const good = { beyondTheScreen: 0, loaded: 0, owned: 'undefined' };

const drawn = (selector: string): string =>
  `[...document.querySelectorAll('${selector}')].filter((one) => one.getBoundingClientRect().width > 100).length`;

for (const device of engines) {
  test.describe(`in ${device.id}, by ${device.driver}`, () => {
    const engine = useEngine(device);

    test('reports are whole, opened from disk', async () => {
      const setting = engine();
      const { session } = setting;
      await openReport(setting, 'comparison', await draw(example));
      await until(session, manners, good);
      await until(session, drawn('.growth svg.plot'), 5);
      await until(session, `document.querySelector('form.controls') !== null`, true);
      // The reader sets the ratios against another target.
      await until(
        session,
        `(() => {
          const base = [...document.querySelectorAll('.controls label')]
            .find(({ textContent }) => textContent.startsWith('Compare with')).querySelector('select');
          base.value = 'firefox';
          base.dispatchEvent(new Event('input', { bubbles: true }));
          return document.querySelector('#row-1').textContent.includes('one look, no verdict');
        })()`,
        true,
      );
      await openReport(setting, 'runs', await draw(runs));
      await until(session, manners, good);
      await until(session, `document.querySelectorAll('.lead .forest svg.line').length > 1`, true);
      await openReport(setting, 'evidence', await drawEvidence(evidence));
      await until(session, manners, good);
      await openReport(setting, 'night', await draw(night));
      await until(session, manners, good);
      await until(session, drawn('section[aria-labelledby=trends] svg'), 1);
      await until(session, `document.querySelector('main h2').id`, 'night');
      await openReport(setting, 'studies', await draw(studies));
      await until(session, manners, good);
      await until(
        session,
        `document.querySelectorAll('section[aria-labelledby=rebuilt] table').length`,
        2,
      );
      await openReport(setting, 'hostile', await draw(hostile));
      await until(session, manners, good);
      await until(session, `document.querySelectorAll('main script, main img').length`, 0);
    });

    test('the explorer works', async () => {
      const { session } = engine();
      const server = await serveExplorer(await aStoredHistory());
      try {
        await session.open(`${server.origin}/`, { signal: never, timeoutMs: patienceMs });
        await until(session, `document.querySelectorAll('#runs tbody tr').length`, 2);
        await until(session, `document.querySelectorAll('#runs .chip').length > 0`, true);
        await until(session, `(${manners}).beyondTheScreen`, good.beyondTheScreen);
        await session.open(`${server.origin}/explore`, { signal: never, timeoutMs: patienceMs });
        await until(session, `document.querySelectorAll('tbody tr').length`, 12);
        await until(session, drawn('.panel svg.plot'), 2);
        await until(session, `document.querySelector('h1').textContent`, 'Fibonacci');
        await until(session, `(${manners}).owned`, good.owned);
        await until(session, `(${manners}).beyondTheScreen`, good.beyondTheScreen);
        await session.evaluate?.(
          `(document.querySelector('#list-family').open = true, document.querySelector('#family-1').click())`,
        );
        await until(session, `document.querySelectorAll('tbody tr').length`, 6);
        await until(session, `location.search.startsWith('?family=')`, true);
      } finally {
        await server.close();
      }
    });
  });
}
