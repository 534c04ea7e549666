import { randomUUID } from 'node:crypto';
import { chromium, expect, test } from '@playwright/test';
import { describeMachine } from '../../core/setup/machine.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { useFleet } from '../../testing/fleet.ts';
import { createSite } from './farm-site.ts';
import { takeHost } from './hosts.ts';

const executablePath = findOnPath(['chromium', 'chromium-browser']);
const { withQueue } = useFleet();

test('a person orders a comparison and cancels it by the pages in a real browser', async () => {
  test.skip(executablePath === null, 'Chromium is not installed here');
  await withQueue(async (queue, server) => {
    const facts = { ...describeMachine(), devices: ['chromium'], inventory: [] };
    await takeHost(server, { name: 'by-hand', worker: randomUUID(), version: '1', facts });
    const { app } = await createSite({
      server,
      queue,
      call: () => Promise.reject(new Error('no command is called')),
      publicOrigin: null,
      userHeader: null,
      say: () => undefined,
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${address}/order`);
      await page.locator('[name=command]').fill('compare old.html new.html');
      await page.getByRole('button', { name: 'Submit' }).click();
      await expect(page.getByRole('heading', { name: 'compare old.html new.html' })).toBeVisible();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expect(page.getByText('cancelled')).toBeVisible();
    } finally {
      await browser.close();
      await app.close();
    }
  });
});
