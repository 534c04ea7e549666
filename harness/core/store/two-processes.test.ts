import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import ts from 'typescript';
import { projectRoot } from '../project.ts';
import { openStore } from './store.ts';

/**
 * Another process needs plain JavaScript, because Node.js 20 runs no TypeScript: the store and what
 * it imports are stripped of their types into a folder of the test's own.
 */
function compileStore(): string {
  const core = fileURLToPath(new URL('..', import.meta.url));
  const out = test.info().outputPath('compiled');
  for (const folder of ['.', 'model', 'store', 'store/schema', 'store/fixtures']) {
    mkdirSync(join(out, folder), { recursive: true });
    for (const file of readdirSync(join(core, folder))) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.endsWith('.d.ts')) continue;
      const { outputText } = ts.transpileModule(readFileSync(join(core, folder, file), 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      writeFileSync(join(out, folder, file.replace(/\.ts$/, '.js')), outputText);
    }
  }
  cpSync(join(projectRoot(), 'package.json'), join(out, 'package.json'));
  symlinkSync(join(projectRoot(), 'node_modules'), join(out, 'node_modules'));
  return out;
}

/** Writes trials until it is ended, and prints how many are stored. */
const writer = `
  const [path, compiled] = process.argv.slice(1);
  const { openStore } = await import(compiled + '/store/store.js');
  const { makeJobs, makeFacts, completed } = await import(compiled + '/store/fixtures/example.js');
  const jobs = makeJobs(2000);
  const store = await openStore(path);
  const run = await store.createRun(makeFacts(jobs));
  process.on('disconnect', () => process.exit(1));
  const samples = Array.from({ length: 500 }, (_, index) => index / 3);
  for (const [index, job] of jobs.entries()) {
    await store.writeTrial(run, completed(job, samples));
    process.send({ run, stored: index + 1 });
  }
  setInterval(() => {}, 1000);
`;

interface Progress {
  readonly run: number;
  readonly stored: number;
}

function startWriter(path: string, compiled: string): ChildProcess {
  return spawn(
    process.execPath,
    ['--input-type=module', '-e', writer, path, pathToFileURL(compiled).href],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
}

async function untilStored(child: ChildProcess, trials: number): Promise<Progress> {
  const signal = AbortSignal.timeout(120_000);
  for (;;) {
    const [progress] = (await once(child, 'message', { signal })) as [Progress];
    if (progress.stored >= trials) return progress;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Not `exit`, after which messages that it sent before may still arrive.
  const close = once(child, 'close');
  child.kill('SIGKILL');
  await close;
}

test('a writer that is killed in the middle leaves every finished trial readable', async () => {
  const path = test.info().outputPath('farm.db');
  const compiled = compileStore();
  for (const [round, trials] of [3, 8].entries()) {
    const child = startWriter(path, compiled);
    let last: Progress = { run: 0, stored: 0 };
    child.on('message', (progress: Progress) => (last = progress));
    try {
      await untilStored(child, trials);
    } finally {
      await end(child);
    }
    const store = await openStore(path);
    const record = await store.readRun('latest');
    // One more may be there: committed, but killed before it could say so.
    expect(record!.trials.length - last.stored).toBeGreaterThanOrEqual(0);
    expect(record!.trials.length - last.stored).toBeLessThanOrEqual(1);
    expect(record!.run).toMatchObject({ id: last.run, status: 'running', finishedAt: null });
    for (const trial of record!.trials) {
      const { outcome } = trial;
      if (outcome.kind !== 'completed') throw new Error('another outcome than was written');
      expect(outcome.result.samples[0]!.timed).toHaveLength(500);
    }
    expect(await store.listRuns()).toHaveLength(round + 1);
    await store.finishRun(last.run, 'interrupted', '2026-11-21T00:00:00.000Z');
    await store.close();
  }
});

test("a reader sees whole trials without delaying another process's writes", async () => {
  const path = test.info().outputPath('farm.db');
  const child = startWriter(path, compileStore());
  try {
    const { run } = await untilStored(child, 1);
    const reader = await openStore(path);
    let seen = 0;
    for (const goal of [2, 4, 6]) {
      const { stored } = await untilStored(child, goal);
      const record = await reader.readRun(run);
      expect(record!.trials.length).toBeGreaterThanOrEqual(stored);
      expect(record!.trials.length).toBeGreaterThanOrEqual(seen);
      seen = record!.trials.length;
      for (const { outcome } of record!.trials) {
        expect(outcome.kind === 'completed' && outcome.result.samples[0]!.timed.length).toBe(500);
      }
    }
    await reader.close();
  } finally {
    await end(child);
  }
});
