import { execa, type ResultPromise } from 'execa';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import { projectRoot } from '../../core/project.ts';
import { ProcessTree } from '../../core/session/process-tree.ts';

const program = join(projectRoot(), 'dist/harness/lab/faults/grid-program.js');

interface Ports {
  readonly hub: number;
  readonly node: number;
  readonly driver: number;
}

/** The id of the device on the grid in a campaign's inventory. */
export const gridDevice = 'chromium-grid';

/**
 * A Selenium Grid of one hub and one node, whose programs are killed and started again at the same
 * addresses. It does not belong to the farm, and carries none of its marks.
 */
export class GridUnderFire {
  readonly address: string;
  readonly #ports: Ports;
  readonly #tree: ProcessTree;
  readonly #environment: Readonly<Record<string, string>>;
  #hub: ResultPromise;
  #node: ResultPromise;

  /** Browsers keep their profiles in the folder, which identifies those of a killed node. */
  static async start(folder: string): Promise<GridUnderFire> {
    await mkdir(folder, { recursive: true });
    const freePort = (): Promise<number> => getPort({ host: '127.0.0.1' });
    const [hub, node, driver] = [await freePort(), await freePort(), await freePort()];
    const grid = new GridUnderFire(folder, { hub, node, driver });
    await grid.#untilReady();
    return grid;
  }

  private constructor(folder: string, ports: Ports) {
    const mark = `${String(process.pid)}-${String(ports.hub)}`;
    this.address = `http://127.0.0.1:${String(ports.hub)}`;
    this.#ports = ports;
    this.#environment = { CROSSFARM_GRID: mark, TMPDIR: folder };
    this.#tree = new ProcessTree({ roots: [], mark: `CROSSFARM_GRID=${mark}`, profile: folder });
    this.#node = this.#start('node', ports.node, ports.driver);
    this.#hub = this.#start('hub', ports.hub, ports.node);
  }

  /**
   * The node and its sessions continue; the next hub, after the given milliseconds, knows none of
   * them.
   */
  async killHub(downMs: number): Promise<void> {
    this.#hub.kill('SIGKILL');
    await this.#hub;
    await pause(downMs);
    this.#hub = this.#start('hub', this.#ports.hub, this.#ports.node);
    await this.#untilReady();
  }

  /** Kills the node with its browsers, as a power cut does. */
  async killNode(downMs: number): Promise<void> {
    const hub = this.#hub.pid;
    for (const { pid } of this.#tree.find()) {
      if (pid !== hub) killIfThere(pid);
    }
    await this.#node;
    await pause(downMs);
    this.#node = this.#start('node', this.#ports.node, this.#ports.driver);
    await this.#untilReady();
  }

  /** Counts the sessions of its node. */
  async held(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${String(this.#ports.node)}/held`);
    const { value } = (await answer.json()) as { value: readonly unknown[] };
    return value.length;
  }

  async end(): Promise<void> {
    await this.#tree.end();
    await Promise.all([this.#hub, this.#node]);
  }

  #start(role: 'hub' | 'node', port: number, next: number): ResultPromise {
    return execa(process.execPath, [program, role, String(port), String(next)], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      reject: false,
      env: this.#environment,
    }) as unknown as ResultPromise;
  }

  async #untilReady(): Promise<void> {
    const { hub, node, driver } = this.#ports;
    for (let look = 0; look < 600; look += 1) {
      if ((await Promise.all([hub, node, driver].map(answers))).every(Boolean)) return;
      await pause(100);
    }
    throw new Error(`the grid at ${this.address} does not start`);
  }
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${String(port)}/status`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
