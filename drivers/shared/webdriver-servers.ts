import type { LaunchOptions } from '../driver.ts';
import { chromiumFlags, firefoxPreferences } from './launch-recipes.ts';

/** Arguments and capabilities of one WebDriver server: data, one row for each product. */
export interface ServerRecipe {
  readonly arguments: (port: number) => readonly string[];
  /** Environment that only this server needs, and hands on to its browser. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Capabilities of a new session, as the server's own documentation names them. */
  readonly capabilities: (options: LaunchOptions) => Readonly<Record<string, unknown>>;
  /** A line of the server's or the browser's output that means: the page died. */
  readonly crashLine?: RegExp;
}

const chromiumOptions = (options: LaunchOptions): object => ({
  ...binaryOf(options),
  args: [
    ...(options.headless ? ['--headless'] : []),
    ...ownProfile(options).map((profile) => `--user-data-dir=${profile}`),
    ...chromiumFlags(options),
  ],
});

/** A server elsewhere knows where its browser is, unless the owner knows better. */
function binaryOf({ executable }: LaunchOptions): { readonly binary?: string } {
  return executable === '' ? {} : { binary: executable };
}

/** A server elsewhere makes its own folder. */
function ownProfile({ profile, remote }: LaunchOptions): readonly string[] {
  return remote === undefined ? [profile] : [];
}

/** Without it WebKitGTK 2.50 has no SharedArrayBuffer, even in an isolated page. */
const sharedMemory = { JSC_useSharedArrayBuffer: '1' };

const chromedriver: ServerRecipe = {
  arguments: (port) => [`--port=${String(port)}`],
  capabilities: (options) => ({
    browserName: 'chrome',
    'goog:chromeOptions': chromiumOptions(options),
  }),
};

export const serverRecipes: Readonly<Record<string, ServerRecipe>> = {
  webkitgtk: {
    arguments: (port) => ['--host=127.0.0.1', `--port=${String(port)}`],
    environment: sharedMemory,
    capabilities: (options) => ({
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': {
        ...binaryOf(options),
        args: ['--automation', ...options.flags],
      },
    }),
    crashLine: /WebProcess CRASHED/,
  },
  wpewebkit: {
    arguments: (port) => ['--host=127.0.0.1', `--port=${String(port)}`],
    environment: sharedMemory,
    capabilities: (options) => ({
      'wpe:browserOptions': {
        ...binaryOf(options),
        args: ['--automation', ...(options.headless ? ['-P', 'headless'] : []), ...options.flags],
      },
    }),
    crashLine: /WebProcess CRASHED/,
  },
  firefox: {
    arguments: (port) => ['--host', '127.0.0.1', '--port', String(port)],
    capabilities: (options) => ({
      browserName: 'firefox',
      'moz:firefoxOptions': {
        ...binaryOf(options),
        args: [
          ...ownProfile(options).flatMap((profile) => ['-profile', profile]),
          ...(options.headless ? ['-headless'] : []),
          ...options.flags,
        ],
        prefs: firefoxPreferences(options.preferences),
      },
    }),
  },
  chromium: chromedriver,
  chrome: chromedriver,
  edge: {
    arguments: (port) => [`--port=${String(port)}`],
    capabilities: (options) => ({
      browserName: 'MicrosoftEdge',
      'ms:edgeOptions': chromiumOptions(options),
    }),
  },
  safari: {
    arguments: (port) => ['--port', String(port)],
    capabilities: () => ({ browserName: 'safari' }),
  },
};
