import { expect, test } from '@playwright/test';
import { readdir, readFile } from 'node:fs/promises';
import { driverNames, loadDriver } from './index.ts';

test('every name gives the driver of that name, with an answer for each capability', async () => {
  expect(driverNames.length).toBeGreaterThan(5);
  for (const name of driverNames) {
    const driver = await loadDriver(name);
    expect(driver.name).toBe(name);
    for (const browser of driver.serves) {
      const abilities = Object.values(driver.capabilities(browser));
      expect(abilities).toHaveLength(10);
      const reasons = abilities.flatMap((one) => (one.supported ? [] : [one.because]));
      expect(reasons.every((because) => because.length > 10)).toBe(true);
    }
  }
});

test('lists every driver folder except the fake one', async () => {
  const folders = await readdir(new URL('.', import.meta.url), { withFileTypes: true });
  const names = folders.filter((one) => one.isDirectory()).map(({ name }) => name);
  const others = ['conformance', 'doubles', 'fake', 'shared'];
  expect(names.filter((name) => !others.includes(name)).toSorted()).toEqual(driverNames.toSorted());
});

test('refuses an unknown driver, and names the known ones', async () => {
  await expect(loadDriver('selenium')).rejects.toThrow(
    new RegExp(`"selenium".* ${driverNames.join(', ')}\\.$`),
  );
});

test('no driver loads its automation library before it launches something', async () => {
  const folder = new URL('.', import.meta.url);
  const all = await readdir(folder, { recursive: true });
  const files = all.filter((name) => /(?<!\.(test|e2e))\.ts$/.test(name));
  expect(files).toContain('playwright/playwright.ts');
  for (const name of files) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const loadedAtOnce = /^import (?!type ).*'(playwright|puppeteer|webdriverio)/m;
    expect(text, name).not.toMatch(loadedAtOnce);
  }
});
