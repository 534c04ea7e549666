import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { execa, type ResultPromise } from 'execa';
import type { Trial } from '../core/model/trial.ts';
import { projectRoot } from '../core/project.ts';
import { openStore } from '../core/store/store.ts';

const main = join(projectRoot(), 'dist/harness/main.js');

export interface FinishedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Milliseconds before its test's end at which a hanging farm is ended, so that the test shows its
 * output.
 */
const aheadMs = 10_000;

/** Starts the built farm in a folder, as a user does. Its time limit is that of its test. */
export function startFarm(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ResultPromise<{ reject: false; cwd: string; env: { NO_COLOR: string } }> {
  return execa(process.execPath, [main, ...args], {
    cwd: folder,
    reject: false,
    stdin: 'ignore',
    // None if a debugger removes the test's own.
    timeout: Math.max(0, test.info().timeout - aheadMs),
    env: { NO_COLOR: '1', ...environment },
  }) as ResultPromise<{ reject: false; cwd: string; env: { NO_COLOR: string } }>;
}

/**
 * Waits for this output of the farm, and continues reading: a farm without a reader ends. @throws
 * an Error with its stderr if it ends before.
 */
export function heard(child: ReturnType<typeof startFarm>, what: RegExp): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (what.test(said)) resolve(said);
    });
    void child.then(({ stderr }) => {
      reject(new Error(`the farm ended without ${String(what)}: ${String(stderr)}`));
    });
  });
}

/** Of a test that fails, `.ci/run` prints what the last farm that did not succeed has said. */
export async function farm(folder: string, ...args: readonly string[]): Promise<FinishedCommand> {
  const { exitCode: code = -1, stdout, stderr } = await startFarm(folder, args);
  if (code !== 0) {
    const description = `exit ${String(code)} of ${String(args[0])}: ${String(stderr).slice(-300)}`;
    test.info().annotations.push({ type: 'farm', description });
  }
  return { code, stdout: String(stdout), stderr: String(stderr) };
}

/** Writes a benchmark whose page runs the given script into the folder of pages, which it returns. */
export async function somePages(folder: string, script: string, id = 'mine'): Promise<string> {
  const pages = join(folder, 'pages');
  await mkdir(join(pages, id), { recursive: true });
  await writeFile(
    join(pages, id, 'benchmark.json'),
    JSON.stringify({
      id,
      version: 1,
      title: 'Mine',
      description: 'A page that misbehaves.',
      page: 'index.html',
      parameters: [],
      metrics: [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
    }),
  );
  const page = `<!doctype html><title>${id}</title><script type="module">
    const trial = '/trial/' + new URLSearchParams(location.search).get('trial');
    const post = (what, body) => fetch(trial + '/' + what, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const assignment = await (await fetch(trial + '/assignment')).json();
    ${script}
  </script>`;
  await writeFile(join(pages, id, 'index.html'), page);
  return pages;
}

/** Returns the pids of processes with the mark of a session below the folder. */
export function leftRunning(folder: string): readonly string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join(folder, '.farm'));
    } catch {
      // It ended meanwhile, so it is not left running.
      return false;
    }
  });
}

/** Reads the trials of the newest run of a farm that was started in this folder. */
export async function newestTrials(folder: string): Promise<readonly Trial[]> {
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  try {
    const record = await store.readRun('latest');
    if (record === null) throw new Error(`no run is stored in ${folder}`);
    return record.trials;
  } finally {
    await store.close();
  }
}
