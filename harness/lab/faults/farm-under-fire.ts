import { execa } from 'execa';
import { join } from 'node:path';
import { projectRoot } from '../../core/project.ts';
import { readProcessTable, type ProcessIdentity } from '../../core/session/process-table.ts';
import { ProcessTree } from '../../core/session/process-tree.ts';

/** An environment variable of everything that a campaign starts, to find leftovers. */
const markVariable = 'CROSSFARM_FAULTS';

const main = join(projectRoot(), 'dist/harness/main.js');
const fromInside = join(projectRoot(), 'dist/harness/lab/faults/from-inside.js');

interface EndedProcess {
  readonly code: number | null;
  /** Its last words. */
  readonly words: string;
}

type Child = ReturnType<typeof startChild>;

/** The built farm as a separate process, which can be killed and started again. */
export class FarmUnderFire {
  readonly folder: string;
  /** The folder of session profiles. */
  readonly sessions: string;
  readonly #mark: string;
  #child: Child | null = null;
  #ended: EndedProcess | null = null;
  #settled: Promise<void> = Promise.resolve();

  constructor(folder: string, { sessions, mark }: { sessions: string; mark: string }) {
    this.folder = folder;
    this.sessions = sessions;
    this.#mark = mark;
  }

  start(args: readonly string[]): void {
    const child = startChild(this.folder, args, { [markVariable]: this.#mark });
    this.#child = child;
    this.#ended = null;
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => {
      // Both ends: a crash prints its reason first, and a farm that gives up prints it last.
      const all = `${words}${String(chunk)}`;
      words = all.length > 8_000 ? `${all.slice(0, 4_000)}\n…\n${all.slice(-3_000)}` : all;
    });
    this.#settled = child.then(({ exitCode }) => {
      this.#ended = { code: exitCode ?? null, words };
    });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Null while it runs. */
  get ended(): EndedProcess | null {
    return this.#ended;
  }

  /** Waits until it has ended. */
  async settled(): Promise<EndedProcess> {
    await this.#settled;
    return this.#ended ?? { code: null, words: '' };
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Finds all living processes of the farm's sessions, without the farm itself. */
  sessionProcesses(): readonly ProcessIdentity[] {
    const tree = new ProcessTree({
      roots: [],
      mark: `${markVariable}=${this.#mark}`,
      profile: this.sessions,
    });
    return tree.find().filter(({ pid }) => pid !== this.pid);
  }

  /** Those with a word in their command, such as the name of a driver's server. */
  named(word: string): readonly ProcessIdentity[] {
    const ours = new Set(this.sessionProcesses().map(({ pid }) => pid));
    return readProcessTable().filter(({ pid, command }) => ours.has(pid) && command.includes(word));
  }

  /** Those that the farm started itself: a browser, or what controls it. */
  roots(): readonly ProcessIdentity[] {
    const ours = new Set(this.sessionProcesses().map(({ pid }) => pid));
    return readProcessTable().filter(({ pid, parent }) => ours.has(pid) && parent === this.pid);
  }

  /** Ends all remaining processes of the campaign. */
  async endAll(): Promise<void> {
    this.kill('SIGKILL');
    const mark = `${markVariable}=${this.#mark}`;
    await new ProcessTree({ roots: [], mark, profile: this.sessions }).end();
  }
}

function startChild(folder: string, args: readonly string[], env: Record<string, string>) {
  return execa(process.execPath, ['--import', fromInside, main, ...args], {
    cwd: folder,
    env: { ...env, NO_COLOR: '1' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    buffer: false,
    reject: false,
  });
}
