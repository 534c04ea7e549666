import { access, constants, open, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { startProgram } from '../shared/child-program.ts';
import {
  besideTrace,
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type Session,
} from '../driver.ts';
import { SingleProcess } from '../shared/single-process.ts';
import { launchStep, runStep, watchEnding } from '../shared/step.ts';

/** Arguments with which each runtime runs a script; the owner's flags come after these, and win. */
interface Runtime {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Nothing may be downloaded, asked or written while something is measured. Deno would otherwise
 * write a lock file next to the farm's package.json and look for a newer version; Bun would install
 * packages that it does not find.
 */
const runtimes: Readonly<Record<string, Runtime>> = {
  node: { arguments: [], environment: {} },
  deno: {
    arguments: ['run', '--allow-all', '--no-lock', '--cached-only', '--no-prompt'],
    environment: { DENO_NO_UPDATE_CHECK: '1' },
  },
  bun: { arguments: ['--no-install'], environment: {} },
};

/**
 * Hosts without HTTP: shells of engines, native programs and WebAssembly runtimes. A bridge speaks
 * for them: a script for the Node.js that runs the farm, which starts them.
 */
const bridged: ReadonlyMap<string, 'shell' | 'program'> = new Map([
  ['jsc', 'shell'],
  ['spidermonkey', 'shell'],
  ['chakracore', 'shell'],
  ['native', 'program'],
  ['wasmtime', 'program'],
]);

function capabilitiesOf(browser: string): Capabilities {
  const what = bridged.get(browser) ?? 'runtime';
  return {
    evaluate: cannot(`a ${what} has no page to look into`),
    input: cannot(`a ${what} has no page to click on`),
    dialogs: cannot(`a ${what} has no page, and so no dialogs`),
    firstScript: cannot(`a ${what} has no page with scripts of its own`),
    freshPage: cannot(`every trial runs in a new process of the ${what}`),
    liveVersion: cannot(`a ${what} is asked for its version before it runs, not while it does`),
    headless: can,
    preferences: cannot(`${what}s take flags and environment variables, they have no preferences`),
    noticesDeath: can,
    trace: browser === 'node' ? can : cannot(`the farm takes no trace of a ${what}`),
  };
}

/** Runtimes, shells and programs: a process that is given the trial's URL, in place of a browser that opens it. */
export const processDriver: Driver = {
  name: 'process',
  serves: [...Object.keys(runtimes), ...bridged.keys()],
  capabilities: (browser) => capabilitiesOf(browser),
  launch: launchStep(launch),
};

const patienceMs = 3000;

/** Nothing is started yet: a runtime without a script would wait for input. */
async function launch(options: LaunchOptions): Promise<Session> {
  await access(options.executable, constants.X_OK);
  await access(scriptOf(options), constants.R_OK);
  const ending = watchEnding();
  const program = new SingleProcess(ending, patienceMs);
  return {
    ended: ending.ended,
    open: (url, bounds) =>
      runStep((abandoned) => program.replace(() => start(url, options), abandoned), {
        what: `Starting ${options.browser}`,
        code: 'navigation-failed',
        ...bounds,
      }),
    version: () => Promise.resolve(null),
    processes: () => Promise.resolve(program.pids()),
    close: async () => {
      ending.expect();
      await program.end();
      if (tracesItself(options)) await moveTrace(options);
    },
  };
}

function start(url: string, options: LaunchOptions): ReturnType<typeof startProgram> {
  const { browser, executable, flags, isTooOld = false, within = [] } = options;
  const path = isTooOld || bridged.has(browser) ? process.execPath : executable;
  const words = isTooOld ? [scriptOf(options), url] : commandLine(url, options);
  const environment = {
    ...runtimes[browser]?.environment,
    ...options.environment,
    ...(tracesItself(options) && tracingEnvironment(options)),
    // `pages/kit/fresh-process.js` reads it.
    ...(isTooOld && { CROSSFARM_FRESH_PROCESS: JSON.stringify([executable, ...flags]) }),
  };
  const [first = path, ...rest] = [...within, path, ...words];
  return startProgram(first, rest, { environment, name: basename(path) });
}

/**
 * Of a runtime: its own arguments, the owner's flags, the script, and the URL for it. Of what is bridged:
 * the bridge and the URL, and after them which product that is, where it lies, and the owner's flags.
 */
export function commandLine(url: string, options: LaunchOptions): readonly string[] {
  const { browser, executable, flags } = options;
  if (bridged.has(browser)) return [scriptOf(options), url, browser, executable, ...flags];
  const own = runtimes[browser]?.arguments ?? [];
  return [...own, ...tracingArguments(options), ...flags, scriptOf(options), url];
}

/** Node.js, which has a profiler and no trace, writes one by a script of the farm's. */
function tracesItself({ browser, trace, isTooOld }: LaunchOptions): boolean {
  return browser === 'node' && trace !== undefined && isTooOld !== true;
}

function tracingArguments(options: LaunchOptions): readonly string[] {
  if (!tracesItself(options)) return [];
  return ['--require', join(dirname(scriptOf(options)), 'node-trace.cjs')];
}

function tracingEnvironment(options: LaunchOptions): Readonly<Record<string, string>> {
  return {
    CROSSFARM_TRACE: ownTrace(options),
    CROSSFARM_TRACE_INTERVAL_US: options.stacks === true ? '100' : '1000',
  };
}

/** A program that is confined may write to its own folder alone. */
function ownTrace({ profile }: LaunchOptions): string {
  return join(profile, 'trace.json');
}

/** Copies what the program wrote, unless it is a link: that could lead anywhere. */
async function moveTrace(options: LaunchOptions): Promise<void> {
  const { trace = '' } = options;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(ownTrace(options), flags).catch(() => null);
  if (file === null) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const { part } = besideTrace(trace);
    await writeFile(part, file.createReadStream({ autoClose: false }), { mode: 0o600 });
    await rename(part, trace);
  } finally {
    await file.close();
  }
}

function scriptOf({ browser, script }: LaunchOptions): string {
  if (script !== undefined) return script;
  throw new DriverError('not-supported', `${browser} needs a script that runs in place of a page`);
}
