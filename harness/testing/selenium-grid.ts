import { execa, type ResultPromise } from 'execa';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { findOnPath } from '../core/setup/executable.ts';

/**
 * Names a folder with the jars of org.seleniumhq.selenium:selenium-grid, as Maven collects them.
 */
const jarsVariable = 'CROSSFARM_SELENIUM';

const jars = process.env[jarsVariable] ?? '';

/** Returns why no Selenium Grid can be started here; null if one can. */
export function whyNoGrid(): string | null {
  if (!existsSync(jars) || !readdirSync(jars).some((name) => name.startsWith('selenium-grid'))) {
    return `${jarsVariable} names no folder with the jars of Selenium Grid`;
  }
  return findOnPath(['java']) === null ? 'java is not installed' : null;
}

export interface RunningGrid {
  readonly hub: string;
  /** Products of the inventory that every node offers. */
  readonly browsers: readonly string[];
  /** Kills a node as a power cut does. */
  kill(node: string): Promise<void>;
  /** Restarts the hub at the same address; it then knows no session. */
  restartHub(): Promise<void>;
  close(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;

/** The driver configurations that a node can offer, by product. */
function offers(node: string): Readonly<Record<string, string>> {
  const chromium = findOnPath(['chromium']);
  const chromedriver = findOnPath(['chromedriver']);
  const firefox = findOnPath(['firefox-esr', 'firefox']);
  const geckodriver = findOnPath(['geckodriver']);
  const args = isRoot ? ['--no-sandbox', '--disable-dev-shm-usage'] : [];
  return {
    ...(chromium !== null &&
      chromedriver !== null && {
        chromium: driverConfiguration(node, chromedriver, {
          browserName: 'chrome',
          'goog:chromeOptions': { binary: chromium, args },
        }),
      }),
    ...(firefox !== null &&
      geckodriver !== null && {
        firefox: driverConfiguration(node, geckodriver, {
          browserName: 'firefox',
          'moz:firefoxOptions': { binary: firefox },
        }),
      }),
  };
}

function stereotypeOf(node: string, capabilities: object): string {
  return JSON.stringify({ platformName: 'linux', 'crossfarm:node': node, ...capabilities });
}

function driverConfiguration(
  node: string,
  driver: string,
  capabilities: Readonly<Record<string, unknown>> & { readonly browserName: string },
): string {
  return [
    '[[node.driver-configuration]]',
    `display-name = "${capabilities.browserName}"`,
    `webdriver-executable = "${driver}"`,
    'max-sessions = 1',
    `stereotype = '${stereotypeOf(node, capabilities)}'`,
  ].join('\n');
}

/** Configures a relay, because a node accepts no WebKitWebDriver as a driver. */
function relayConfiguration(node: string, port: number): string {
  const stereotype = stereotypeOf(node, { browserName: 'MiniBrowser' });
  return [
    '[relay]',
    `url = "http://127.0.0.1:${String(port)}"`,
    'status-endpoint = "/status"',
    `configs = ["1", '${stereotype}']`,
  ].join('\n');
}

/** Starts a hub and nodes on the loopback, each with every available browser of this machine. */
export async function startGrid(folder: string, nodes: readonly string[]): Promise<RunningGrid> {
  const started: ResultPromise[] = [];
  const display = await openDisplay(started);
  const java = (role: string, name: string, lines: readonly string[]): ResultPromise => {
    const config = join(folder, `${name}.toml`);
    writeFileSync(config, `${lines.join('\n')}\n`);
    const program = startJava([role, '--config', config], {
      display,
      log: join(folder, `${name}.log`),
    });
    started.push(program);
    return program;
  };
  const [port = 0, publish = 0, subscribe = 0] = await freePorts(3);
  const hub = `http://127.0.0.1:${String(port)}`;
  const events = [
    '[events]',
    `publish = "tcp://127.0.0.1:${String(publish)}"`,
    `subscribe = "tcp://127.0.0.1:${String(subscribe)}"`,
  ];
  const startHub = () => java('hub', 'hub', [...serverAt(port), ...events, 'bind = true']);
  let hubProgram = startHub();
  const programs = new Map<string, ResultPromise>();
  let browsers: readonly string[] = [];
  for (const node of nodes) {
    const relay = await startRelay(display, started);
    const [own = 0] = await freePorts(1);
    const lines = [...serverAt(own), ...events, ...nodeLines(node, hub, relay)];
    programs.set(node, java('node', `node-${node}`, lines));
    browsers = [...Object.keys(offers(node)), ...(relay === null ? [] : ['webkitgtk'])];
  }
  const close = async (): Promise<void> => {
    for (const program of started.toReversed()) endGroup(program, 'SIGTERM');
    await Promise.all(started);
  };
  try {
    await waitForSlots(hub, nodes.length * browsers.length);
  } catch (error) {
    await close();
    throw new Error(`the grid did not start:\n${logsIn(folder)}`, { cause: error });
  }
  return {
    hub,
    browsers,
    kill: async (node) => {
      const program = programs.get(node);
      if (program !== undefined) endGroup(program, 'SIGKILL');
      await program;
    },
    restartHub: async () => {
      endGroup(hubProgram, 'SIGKILL');
      await hubProgram;
      hubProgram = startHub();
    },
    close,
  };
}

interface JavaPlace {
  readonly display: string | null;
  readonly log: string;
}

/** Starts a process group, to which its drivers and browsers belong. */
function startJava(args: readonly string[], { display, log }: JavaPlace): ResultPromise {
  const java = ['-Xmx256m', '-cp', join(jars, '*'), 'org.openqa.selenium.grid.Bootstrap'];
  return execa('java', [...java, ...args], {
    stdin: 'ignore',
    stdout: { file: log },
    stderr: { file: log },
    buffer: false,
    reject: false,
    detached: true,
    env: { SE_OFFLINE: 'true', ...(display !== null && { DISPLAY: display }) },
  }) as unknown as ResultPromise;
}

function endGroup({ pid }: ResultPromise, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!hasEnded) throw error;
  }
}

function logsIn(folder: string): string {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return logs.map((name) => readFileSync(join(folder, name), 'utf8').slice(-2000)).join('\n');
}

function serverAt(port: number): readonly string[] {
  return ['[server]', 'host = "127.0.0.1"', `port = ${String(port)}`];
}

/** Allows one session at a time, as the farm does on every machine. */
function nodeLines(node: string, hub: string, relay: number | null): readonly string[] {
  return [
    ...['[node]', 'detect-drivers = false', 'selenium-manager = false', `grid-url = "${hub}"`],
    ...['max-sessions = 1', 'override-max-sessions = true', 'session-timeout = 300'],
    // A restarted hub learns of its nodes by their heartbeat.
    'heartbeat-period = 5',
    ...Object.values(offers(node)),
    ...(relay === null ? [] : [relayConfiguration(node, relay)]),
  ];
}

async function openDisplay(started: ResultPromise[]): Promise<string | null> {
  if (findOnPath(['Xvfb']) === null) return null;
  const server = execa('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    reject: false,
    detached: true,
    buffer: false,
  });
  started.push(server as unknown as ResultPromise);
  const number = await new Promise((resolve) => server.stdio[3].once('data', resolve));
  return `:${String(number).trim()}`;
}

/** Null without WebKitGTK or a display. */
async function startRelay(
  display: string | null,
  started: ResultPromise[],
): Promise<number | null> {
  const driver = findOnPath(['WebKitWebDriver']);
  if (driver === null || display === null) return null;
  const [port = 0] = await freePorts(1);
  started.push(
    execa(driver, ['--host=127.0.0.1', `--port=${String(port)}`], {
      stdio: 'ignore',
      reject: false,
      detached: true,
      // Without it WebKitGTK 2.50 has no SharedArrayBuffer, even in an isolated page.
      env: { DISPLAY: display, JSC_useSharedArrayBuffer: '1' },
    }),
  );
  return port;
}

/** A grid on a busy machine takes half a minute. */
const longestStartMs = 180_000;

async function waitForSlots(hub: string, count: number): Promise<void> {
  type Status = { value: { nodes?: { slots: unknown[] }[] } };
  const until = performance.now() + longestStartMs;
  for (let seen = -1; seen < count;) {
    seen = await fetch(`${hub}/status`)
      .then((answer) => answer.json() as Promise<Status>)
      .then(({ value }) => (value.nodes ?? []).reduce((sum, { slots }) => sum + slots.length, 0))
      // It does not listen yet.
      .catch(() => -1);
    if (performance.now() > until) throw new Error(`${String(seen)} of ${String(count)} slots`);
    await rest(200);
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
