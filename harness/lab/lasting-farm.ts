import { getEachMessage, sendMessage } from 'execa';
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { MeasuringCaller } from '../core/app/caller.ts';
import { runDefaults } from '../core/app/defaults.ts';
import { runSuite } from '../core/app/run/run-suite.ts';
import { exitCodes } from '../core/errors.ts';
import { defaultInventory } from '../core/project.ts';
import { openScreen, terminalProgress } from '../core/run/progress/terminal.ts';
import type { FarmState } from './soak.ts';

/**
 * A farm process that measures the quick suite on each message, and then reports its state: node
 * --expose-gc lasting-farm.js --database FILE [--device IDS] [--bench IDS] [--trials NUMBER] [--fast]
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    device: { type: 'string', default: '' },
    bench: { type: 'string', default: '' },
    trials: { type: 'string', default: '' },
    fast: { type: 'boolean', default: false },
  },
});

const names = (list: string): readonly string[] => (list === '' ? [] : list.split(','));

const options = {
  ...runDefaults,
  database: values.database,
  inventory: defaultInventory(),
  device: names(values.device),
  bench: names(values.bench),
  ...(values.bench === '' ? { suite: 'quick' } : {}),
  ...(values.trials === '' ? {} : { trials: Number(values.trials) }),
  ...(values.fast ? { measurement: 'fast' as const } : {}),
};

/** Progress goes to stderr; nothing reads the results. */
const caller: MeasuringCaller = {
  signal: new AbortController().signal,
  say: (sentence) => process.stderr.write(`${sentence}\n`),
  listener: terminalProgress(openScreen(process.stderr, false), false),
};

for await (const message of getEachMessage()) {
  if (message !== 'measure') break;
  const { cells } = await runSuite(options, caller);
  const exitCode = cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
  await sendMessage({ exitCode, ...lookAtSelf() });
}

function lookAtSelf(): Omit<FarmState, 'exitCode'> {
  // Twice, because the second collection removes what the first one finalises.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss, openFiles: countOpenFiles() };
}

/** Null if the system does not show it. */
function countOpenFiles(): number | null {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null;
}
