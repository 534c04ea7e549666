import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { describeDriver, findInstalled } from '../conformance.ts';
import type { Emulation, Session } from '../driver.ts';
import { playwrightDriver } from './playwright.ts';

describeDriver({
  driver: playwrightDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
  quick: 'a second page inherits nothing, is visible, and the first one is closed',
});

test("gives the path of Playwright's own build only where it is installed", async () => {
  const path = await playwrightDriver.ownBuild?.('webkit');
  expect(path === null || (typeof path === 'string' && findInstalled(path) === path)).toBe(true);
  expect(await playwrightDriver.ownBuild?.('edge')).toBeNull();
});

test.describe('emulation', () => {
  const executable = findInstalled('/usr/bin/chromium');
  test.skip(executable === null, 'Chromium is not on this machine');

  /** Opens an empty page of a session that pretends, and asks it. */
  async function ask<T>(emulation: Emulation, expression: string): Promise<T> {
    const profile = await mkdtemp(join(tmpdir(), 'emulation-'));
    const bounds = { signal: new AbortController().signal, timeoutMs: 90_000 };
    let session: Session | null = null;
    try {
      session = await playwrightDriver.launch({
        browser: 'chromium',
        executable: executable ?? '',
        flags: [],
        preferences: {},
        headless: true,
        sandbox: process.getuid?.() !== 0,
        environment: { PATH: process.env['PATH'] ?? '', HOME: profile },
        profile,
        emulation,
        ...bounds,
      });
      await session.open(
        'data:text/html,<meta name="viewport" content="width=device-width">',
        bounds,
      );
      return (await session.evaluate?.(expression)) as T;
    } finally {
      await session?.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  }

  test('pages see the screen, the touch and the user agent of the phone', async () => {
    const seen =
      '({ agent: navigator.userAgent, touch: navigator.maxTouchPoints > 0, ratio: devicePixelRatio })';
    expect(await ask({ descriptor: 'Pixel 7' }, seen)).toEqual({
      agent: expect.stringContaining('Pixel 7'),
      touch: true,
      ratio: 2.625,
    });
  });

  test('a processor that seems 20 times slower does less work', async () => {
    // In a whole second: next to other work the throttling was seen to begin a tenth of it late.
    const work = `(() => {
      const start = performance.now();
      let turns = 0;
      for (; performance.now() - start < 1000; turns++) {
        for (let i = 0, sum = 0; i < 1e5; i++) sum += Math.sqrt(i);
      }
      return turns;
    })()`;
    const plain = await ask<number>({}, work);
    expect(await ask<number>({ cpuThrottling: 20 }, work)).toBeLessThan(plain);
  });

  test('a phone that Playwright does not know is refused at launch', async () => {
    await expect(ask({ descriptor: 'Pixel 700' }, '1')).rejects.toThrow('no "Pixel 700"');
    const known = await playwrightDriver.emulator?.descriptors();
    expect(known).toEqual(expect.arrayContaining(['Pixel 7', 'iPhone 15']));
  });
});
