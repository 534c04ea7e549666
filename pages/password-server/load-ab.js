import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { parseAb } from './ab-report.js';
import { deadlineMs } from './load.js';

/** @import { Generator, Load, LoadOrder } from './load.js' */

/**
 * Runs the program `ab` (ApacheBench) as a separate process. It shows no answers, but counts those
 * that failed and the bytes of all.
 *
 * @returns {Promise<Generator>}
 * @throws {Error} a sentence, when it is not installed.
 */
export async function openAb() {
  const program = await findAb();
  const folder = await mkdtemp(join(tmpdir(), 'ab-'));
  return {
    load: (order) => loadBy(program, join(folder, 'table'), order),
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

async function findAb() {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'ab');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(
    'ab is not on PATH: install it (Debian: apt-get install apache2-utils), or take the generator autocannon.',
  );
}

/** @type {(program: string, tablePath: string, order: LoadOrder) => Promise<Load>} */
async function loadBy(program, tablePath, order) {
  const { url, concurrency, requests, bodyBytes, signal } = order;
  const options = {
    '-c': concurrency,
    '-n': requests,
    '-s': deadlineMs / 1000,
    '-g': tablePath,
  };
  const args = ['-k', '-q', ...Object.entries(options).flat().map(String), url];
  const report = await run(program, args, signal);
  const table = await readFile(tablePath, 'utf8');
  const load = parseAb({ report, table }, { requests, bodyBytes });
  return { ...load, answers: null };
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {AbortSignal} signal
 * @returns {Promise<string>} what it printed
 */
async function run(program, args, signal) {
  const bounds = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  bounds.throwIfAborted();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complained] = [keep(child.stdout), keep(child.stderr)];
  const onAbort = () => child.kill('SIGKILL');
  bounds.addEventListener('abort', onAbort, { once: true });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  bounds.removeEventListener('abort', onAbort);
  signal.throwIfAborted();
  if (bounds.aborted) throw new Error(`ab did not end within ${String(deadlineMs / 1000)} s.`);
  if (code === 0) return printed();
  throw new Error(`ab ended with ${String(code)}: ${complained().trim().slice(0, 300)}`);
}

const keptCharacters = 100_000;

/** @param {NodeJS.ReadableStream} output */
function keep(output) {
  let kept = '';
  output.setEncoding('utf8');
  output.on('data', (text) => {
    kept = (kept + String(text)).slice(0, keptCharacters);
  });
  return () => kept;
}
