import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../core/project.ts';
import type { SmallDisk } from '../faults/small-disk.ts';
import type { SeverableLink } from './severable-link.ts';

const lab = join(projectRoot(), 'dist/harness/lab');
/** Sets its clock at SIGUSR2. */
const insideFaults = join(lab, 'faults/from-inside.js');
const program = join(lab, 'fleet/played-host.js');

interface HostFacts {
  readonly name: string;
  readonly folder: string;
  /** Address of the farm, as this host knows it. */
  readonly url: string;
  readonly link: SeverableLink;
  /** Null where this user may not mount one. */
  readonly disk: SmallDisk | null;
}

/** A worker of a played host, which is started again when it dies, as a service is. */
export class HostUnderFire {
  readonly facts: HostFacts;
  /** When its newest trial was measured, on the clock of this process. */
  measuredAt = 0;
  /** When what was done to it last was over; infinite while it lasts. */
  mendedAt = 0;
  /** Ends without a cause, each with its last words. */
  readonly deaths: string[] = [];
  #child: ChildProcess | null = null;
  #said = '';

  constructor(facts: HostFacts) {
    this.facts = facts;
  }

  start(): void {
    const { folder, name, url } = this.facts;
    const child = fork(program, ['worker', '--as', name], {
      cwd: folder,
      execArgv: ['--import', insideFaults],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        CROSSFARM_FLEET: url,
        CROSSFARM_HOST_LOCK: 'off',
        CROSSFARM_TRUST: '1',
        NO_COLOR: '1',
      },
    });
    this.#child = child;
    child.on('error', () => undefined);
    child.on('message', () => {
      this.measuredAt = performance.now();
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      this.#said = `${this.#said}${String(bytes)}`.slice(-4_000);
    });
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.deaths.push(`${name} ended (${String(code ?? signal)}): ${this.#said.slice(-600)}`);
      setTimeout(() => {
        if (this.#child === child) this.start();
      }, 1_000);
    });
  }

  get said(): string {
    return this.#said;
  }

  /** Kills its browser in the next trial. */
  killBrowser(): void {
    if (this.#child?.connected === true) this.#child.send('browser dies');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Waits until its process ends by itself, and gives its exit code. */
  async waitForEnd(ms: number): Promise<number | null> {
    const child = this.#take();
    if (child === null || hasEnded(child)) return child?.exitCode ?? null;
    await once(child, 'exit', { signal: AbortSignal.timeout(ms) });
    return child.exitCode;
  }

  /** Ends it, and does not start it again. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#take();
    if (child === null || hasEnded(child)) return;
    child.kill(signal);
    await Promise.race([once(child, 'exit'), killLater(child)]);
  }

  #take(): ChildProcess | null {
    const child = this.#child;
    this.#child = null;
    return child;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** A worker whose server is away ends within a minute. */
async function killLater(child: ChildProcess): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 90_000).unref());
  child.kill('SIGKILL');
}

/** Makes the folder of a host, with one device. */
export async function writeHost(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const played = { browser: 'chromium', driver: 'playwright', executable: process.execPath };
  const devices = [{ id: 'one', ...played, headless: true }];
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const all = { measurement: 'fast', probes: false };
  await writeFile(join(folder, 'crossfarm.config.json'), JSON.stringify({ all }));
}
