import type { Obstacle } from '../../../drivers/driver.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import type { PackagedName } from '../system-packages.ts';
/** Where each product is usually found, and how one gets it: data, one row a product. */
export interface Product {
  readonly title: string;
  /** Names to look for on PATH, best first. */
  readonly names: readonly string[];
  /** Absolute paths by platform; a `*` stands for one folder name. */
  readonly paths: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>>;
  /** Debian and Ubuntu packages that bring it. */
  readonly debianPackages: readonly string[];
  /** Name of its cask of Homebrew, and its id of winget. */
  readonly brew?: string;
  readonly winget?: string;
  /** Asks a package manager for the version, where the program itself does not tell. */
  readonly versionCommands?: readonly (readonly string[])[];
  /** Only on these platforms, with the reason. */
  readonly only?: {
    readonly platforms: readonly NodeJS.Platform[];
    readonly architectures?: readonly NodeJS.Architecture[];
    readonly because: string;
    /** What its owner does elsewhere. */
    readonly instead: string;
  };
  /** Needs a display even without a viewer. */
  readonly needsDisplay: boolean;
  /** How to get it where the distribution's packages do not help. */
  readonly download: string;
  /** Of a runtime: the npm package that brings it, and where its program then lies. */
  readonly npm?: { readonly package: string; readonly programs: readonly string[] };
  /** Kept in the farm's own folder of programs, which `programs.ts` knows. */
  readonly isProgram?: true;
}

const programFiles = ['C:/Program Files', 'C:/Program Files (x86)'];

/** Where a user of Windows installs without an administrator: such paths begin with it. */
const userFolder = '%LOCALAPPDATA%';

/** Folders of Windows in which a browser's path may begin. */
const onWindows = (path: string): readonly string[] =>
  [...programFiles, userFolder].map((folder) => `${folder}/${path}`);

/** Other channels by the names that their programs have on Linux; Linux finds them on PATH. */
const channels: Readonly<Record<string, Product['paths']>> = {
  ...channel('google-chrome-beta', 'Google Chrome Beta', 'Google/Chrome Beta', 'chrome'),
  ...channel('google-chrome-unstable', 'Google Chrome Dev', 'Google/Chrome Dev', 'chrome'),
  ...channel('google-chrome-canary', 'Google Chrome Canary', 'Google/Chrome SxS', 'chrome'),
  ...channel('microsoft-edge-beta', 'Microsoft Edge Beta', 'Microsoft/Edge Beta', 'msedge'),
  ...channel('microsoft-edge-dev', 'Microsoft Edge Dev', 'Microsoft/Edge Dev', 'msedge'),
  ...channel('microsoft-edge-canary', 'Microsoft Edge Canary', 'Microsoft/Edge SxS', 'msedge'),
};

function channel(
  ...[name, app, folder, program]: readonly [string, string, string, string]
): Readonly<Record<string, Product['paths']>> {
  return {
    [name]: {
      darwin: [`/Applications/${app}.app/Contents/MacOS/${app}`],
      win32: onWindows(`${folder}/Application/${program}.exe`),
    },
  };
}

/** Where this system keeps a product, the usual place first. */
export function listPaths({ paths }: Pick<Product, 'paths'>): readonly string[] {
  const local = process.env['LOCALAPPDATA'];
  return (paths[process.platform] ?? []).flatMap((path) => {
    if (!path.startsWith(userFolder)) return [path];
    return local === undefined || local === '' ? [] : [local + path.slice(userFolder.length)];
  });
}

/** Where this system keeps a channel of a browser, such as `google-chrome-beta`. */
export function listChannelPaths(name: string): readonly string[] {
  return listPaths({ paths: (Object.hasOwn(channels, name) && channels[name]) || {} });
}

export const products: Readonly<Record<string, Product>> = {
  chromium: {
    title: 'Chromium',
    names: ['chromium', 'chromium-browser'],
    paths: { darwin: ['/Applications/Chromium.app/Contents/MacOS/Chromium'] },
    debianPackages: ['chromium'],
    needsDisplay: false,
    download: 'npx playwright install chromium',
  },
  chrome: {
    title: 'Google Chrome',
    brew: 'google-chrome',
    winget: 'Google.Chrome',
    names: ['google-chrome', 'google-chrome-stable'],
    paths: {
      linux: ['/opt/google/chrome/chrome'],
      darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
      win32: onWindows('Google/Chrome/Application/chrome.exe'),
    },
    debianPackages: [],
    needsDisplay: false,
    download: 'npx playwright install chrome',
  },
  edge: {
    title: 'Microsoft Edge',
    brew: 'microsoft-edge',
    winget: 'Microsoft.Edge',
    names: ['microsoft-edge', 'microsoft-edge-stable'],
    paths: {
      linux: ['/opt/microsoft/msedge/msedge'],
      darwin: ['/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
      win32: onWindows('Microsoft/Edge/Application/msedge.exe'),
    },
    debianPackages: [],
    needsDisplay: false,
    download: 'npx playwright install msedge',
  },
  firefox: {
    title: 'Firefox',
    brew: 'firefox',
    winget: 'Mozilla.Firefox',
    names: ['firefox', 'firefox-esr'],
    paths: {
      darwin: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
      win32: onWindows('Mozilla Firefox/firefox.exe'),
    },
    debianPackages: ['firefox-esr'],
    needsDisplay: false,
    download: 'install Firefox from mozilla.org',
  },
  webkit: {
    title: "Playwright's WebKit",
    names: [],
    paths: {},
    debianPackages: [],
    needsDisplay: false,
    download: 'npx playwright install webkit',
  },
  webkitgtk: {
    title: 'WebKitGTK MiniBrowser',
    names: ['MiniBrowser'],
    paths: {
      linux: [
        '/usr/lib/*/webkitgtk-6.0/MiniBrowser',
        '/usr/lib/*/webkit2gtk-4.1/MiniBrowser',
        '/usr/lib/*/webkit2gtk-4.0/MiniBrowser',
        '/usr/libexec/webkit2gtk-4.1/MiniBrowser',
        '/usr/libexec/webkit2gtk-4.0/MiniBrowser',
      ],
    },
    debianPackages: ['webkit2gtk-driver', 'xvfb'],
    versionCommands: [
      ['dpkg-query', '-W', '-f=${Version}', 'webkit2gtk-driver'],
      ['rpm', '-q', '--qf', '%{VERSION}', 'webkit2gtk4.1'],
    ],
    only: {
      platforms: ['linux'],
      because: 'WebKitGTK exists on Linux only',
      instead: "measure Playwright's WebKit here: --device webkit",
    },
    needsDisplay: true,
    download: "install WebKitGTK's MiniBrowser and WebKitWebDriver from your distribution",
  },
  wpewebkit: {
    title: 'WPE WebKit',
    names: ['cog'],
    paths: {},
    debianPackages: ['wpewebkit-driver', 'cog'],
    versionCommands: [['dpkg-query', '-W', '-f=${Version}', 'wpewebkit-driver']],
    only: {
      platforms: ['linux'],
      because: 'WPE WebKit exists on Linux only',
      instead: "measure Playwright's WebKit here: --device webkit",
    },
    needsDisplay: false,
    download: 'install cog and WPEWebDriver from your distribution',
  },
  safari: {
    title: 'Safari',
    names: [],
    paths: { darwin: ['/Applications/Safari.app/Contents/MacOS/Safari'] },
    debianPackages: [],
    only: {
      platforms: ['darwin'],
      because: 'Safari exists on macOS only',
      instead: 'run the farm on a Mac, and there once: safaridriver --enable',
    },
    needsDisplay: false,
    download: 'safaridriver --enable',
  },
  samsung: {
    title: 'Samsung Internet',
    names: [],
    paths: {},
    debianPackages: [],
    needsDisplay: false,
    download: 'install Samsung Internet on the device',
  },
  node: runtime('Node.js', 'node', ['node/bin/node', 'node/bin/node.exe']),
  deno: runtime('Deno', 'deno', ['@deno/*/deno', '@deno/*/deno.exe']),
  bun: runtime('Bun', 'bun', ['bun/bin/bun.exe']),
  jsc: {
    title: 'Shell of JavaScriptCore',
    names: ['jsc'],
    paths: {},
    debianPackages: ['libjavascriptcoregtk-4.0-bin'],
    versionCommands: [['dpkg-query', '-W', '-f=${Version}', 'libjavascriptcoregtk-4.0-bin']],
    needsDisplay: false,
    download: 'install jsc from your distribution, or name its "executable"',
  },
  spidermonkey: {
    title: 'Shell of SpiderMonkey',
    names: ['js140', 'js128', 'js115', 'js102'],
    paths: {},
    debianPackages: ['libmozjs-102-dev'],
    needsDisplay: false,
    download: 'install the shell of mozjs from your distribution, or name its "executable"',
  },
  chakracore: {
    ...program('Shell of ChakraCore', []),
    only: {
      platforms: ['linux'],
      architectures: ['x64'],
      because: 'the library of ChakraCore is published for Linux on x64 processors',
      instead: 'run the farm on such a machine',
    },
  },
  native: program('Native program', []),
  wasmtime: program('Wasmtime', ['wasmtime']),
};

/** Why a product cannot be on this machine, with anything installed; null if it can. */
export function whyImpossible(product: Product | undefined): Obstacle | null {
  if (product?.only === undefined) return null;
  const { platforms, architectures, because, instead } = product.only;
  const isElsewhere = !platforms.includes(process.platform);
  const isOther = architectures?.includes(process.arch) === false;
  return isElsewhere || isOther ? { reason: because, remedy: instead } : null;
}

function runtime(title: string, name: string, programs: readonly string[]): Product {
  return {
    title,
    names: [name],
    paths: {},
    debianPackages: [],
    needsDisplay: false,
    download: `${npxCrossfarm} devices setup --runtimes`,
    npm: { package: name, programs: programs.map((path) => `node_modules/${path}`) },
  };
}

function program(title: string, names: readonly string[]): Product {
  return {
    title,
    names,
    paths: {},
    debianPackages: [],
    needsDisplay: false,
    download: `${npxCrossfarm} devices setup --programs`,
    isProgram: true,
  };
}

/** The program that stands between a product and WebDriver or Appium. */
export const driverServers: Readonly<Record<string, PackagedName>> = {
  webkitgtk: 'WebKitWebDriver',
  wpewebkit: 'WPEWebDriver',
  firefox: 'geckodriver',
  chromium: 'chromedriver',
  chrome: 'chromedriver',
  edge: 'msedgedriver',
  safari: 'safaridriver',
};
