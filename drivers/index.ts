import { DriverError, type Driver } from './driver.ts';

/**
 * Drivers by name. None of these modules loads its automation library before something is
 * launched, and none of them is loaded before it is asked for.
 */
const loaders: Readonly<Record<string, () => Promise<Driver>>> = {
  playwright: async () => (await import('./playwright/playwright.ts')).playwrightDriver,
  puppeteer: async () => (await import('./puppeteer/puppeteer.ts')).puppeteerDriver,
  webdriver: async () => (await import('./webdriver/webdriver.ts')).webdriverDriver,
  appium: async () => (await import('./appium/appium.ts')).appiumDriver,
  open: async () => (await import('./open/open.ts')).openDriver,
  process: async () => (await import('./process/process.ts')).processDriver,
  attended: async () => (await import('./attended/attended.ts')).attendedDriver,
};

export const driverNames: readonly string[] = Object.keys(loaders);

/** @throws DriverError `not-supported` for a name that is not in `driverNames`. */
export async function loadDriver(name: string): Promise<Driver> {
  const load = loaders[name];
  if (load !== undefined) return load();
  const names = driverNames.join(', ');
  throw new DriverError('not-supported', `There is no driver "${name}"; there are: ${names}.`);
}
