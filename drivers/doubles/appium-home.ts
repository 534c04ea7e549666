import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages whose places the doubles take, with what Appium wants to know of each. */
const doubles = {
  'appium-uiautomator2-driver': {
    driverName: 'uiautomator2',
    automationName: 'UiAutomator2',
    platformNames: ['Android'],
    mainClass: 'UiAutomator2Double',
  },
  'appium-xcuitest-driver': {
    driverName: 'xcuitest',
    automationName: 'XCUITest',
    platformNames: ['iOS'],
    mainClass: 'XCUITestDouble',
  },
} as const;

export type DoubledPackage = keyof typeof doubles;

export interface AppiumHomeOptions {
  /** Path of the real Appium's `index.js`. */
  readonly appium: string;
  /** Without one of them its driver is not installed. */
  readonly packages?: readonly DoubledPackage[];
}

/**
 * Makes a folder an APPIUM_HOME with the real Appium and doubles of its drivers for phones, as npm
 * would leave them; nothing of the real one's home is changed.
 * @returns path of `index.js` in it.
 */
export async function layOutAppium(
  folder: string,
  { appium, packages = Object.keys(doubles) as DoubledPackage[] }: AppiumHomeOptions,
): Promise<string> {
  const modules = join(folder, 'node_modules');
  await mkdir(modules, { recursive: true });
  await symlink(dirname(appium), join(modules, 'appium'));
  const source = fileURLToPath(new URL('./phone-driver.js', import.meta.url));
  for (const name of packages) {
    const place = join(modules, name);
    await mkdir(place);
    await copyFile(source, join(place, 'phone-driver.js'));
    await writeFile(join(place, 'package.json'), JSON.stringify(manifestOf(name)));
  }
  const dependencies = {
    appium: '^3.1.0',
    ...Object.fromEntries(packages.map((one) => [one, '*'])),
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  return join(modules, 'appium', 'index.js');
}

function manifestOf(name: DoubledPackage): object {
  return {
    name,
    version: '0.0.1',
    type: 'module',
    main: './phone-driver.js',
    peerDependencies: { appium: '^3.0.0' },
    appium: doubles[name],
  };
}
