import { loadDriver } from '../../../../drivers/index.ts';
import { errorText } from '../../errors.ts';
import type { Device } from '../../model/device.ts';
import { sessionsFolder } from '../../project.ts';
import { startSession } from '../../session/session.ts';
import { askProgram } from '../../setup/ask-program.ts';
import type { UnpackedBuild } from '../../setup/builds/fetch-build.ts';

/** Drivers that move a build as it was unpacked, without a separate server. */
const driverOf: Readonly<Record<string, string>> = {
  chromium: 'playwright',
  firefox: 'puppeteer',
  node: 'process',
};

/** A device for a product that no devices file declares. */
export function plainDevice(product: string): Device {
  return {
    id: product,
    name: product,
    browser: product,
    driver: driverOf[product] ?? 'open',
    headless: true,
    flags: [],
    preferences: {},
    environment: {},
    automatic: false,
  };
}

export interface Starting {
  readonly database: string;
  readonly signal: AbortSignal;
}

/** A build on a busy machine, from a disk that has not read it yet. */
const startMs = 60_000;

/**
 * Starts a build once, and returns the version that it says itself.
 * @throws Error with what it said where it does not start
 */
export async function askLive(build: UnpackedBuild, starting: Starting): Promise<string> {
  const version =
    build.product === 'node' ? await askRuntime(build) : await askBrowser(build, starting);
  if (version !== null && /^\d+(\.\d+)+/.test(version)) return version;
  throw new Error(`it started, and said "${version ?? ''}" when it was asked for its version`);
}

async function askRuntime({ executable }: UnpackedBuild): Promise<string | null> {
  const answer = await askProgram(executable, ['--version'], { timeoutMs: startMs });
  const { stdout, stderr, failed, why } = answer;
  if (failed) throw new Error(`it does not start: ${stderr === '' ? why : stderr}`);
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
}

async function askBrowser(
  { product, executable, flags }: UnpackedBuild,
  { database, signal }: Starting,
): Promise<string | null> {
  const device = { ...plainDevice(product), flags };
  const target = { device, browser: { name: product, version: 'unknown' }, executable };
  try {
    const session = await startSession(target, await loadDriver(device.driver), {
      directory: sessionsFolder(database),
      display: () => Promise.reject(new Error('it needs a display')),
      signal,
      timeoutMs: startMs,
    });
    await session.close();
    return session.browserVersion;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`it does not start: ${ownWords(errorText(error))}`, { cause: error });
  }
}

/** The build's own words, out of a library's text about a launch. */
function ownWords(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const own = lines
    .filter((line) => line.includes('[err]'))
    .map((line) => line.replace(/^.*?\[err\]\s*/, ''));
  const telling = own.length > 0 ? own : lines;
  return [...new Set(telling.filter((line) => line !== ''))].slice(0, 3).join(' ').slice(0, 500);
}
