import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallCommand, CalledCommand, CommandListener } from '../../core/cli/io.ts';
import { exitCodes } from '../../core/errors.ts';

/** As large as a trial with samples of every core: see the README's figures. */
const samples = Array.from({ length: 700 }, (_, number) => 10 + ((number * 37) % 100) / 1_000);

interface PlayedRun {
  readonly identity: string;
  readonly planned: number;
  stored: number;
}

/** Plays the commands that a worker calls, without a database: `run --trials N` measures at a rate. */
export class PlayedCalls {
  readonly #trialMs: number;
  readonly #onBegun: () => void;
  readonly #runs: PlayedRun[] = [];

  constructor(trialMs: number, onBegun: () => void = () => undefined) {
    this.#trialMs = trialMs;
    this.#onBegun = onBegun;
  }

  readonly call: CallCommand = async (words, heard = {}) => {
    if (words[0] === 'run')
      return this.#measure(Number(words[words.indexOf('--trials') + 1]), heard);
    if (words[1] === 'export') {
      return answer(this.#export(Number(words[2]), Number(words[words.indexOf('--since') + 1])));
    }
    return answer({ runs: [] });
  };

  async #measure(planned: number, { watcher, signal }: CommandListener): Promise<CalledCommand> {
    this.#onBegun();
    const run: PlayedRun = { identity: randomUUID(), planned, stored: 0 };
    this.#runs.push(run);
    const jobs = Array.from({ length: planned }, () => null);
    watcher?.onRunStarted?.({ run: this.#runs.length, plan: { jobs } as never });
    while (run.stored < planned) {
      await pause(this.#trialMs, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted === true) return { ...answer(null), exitCode: exitCodes.unfinished };
      run.stored += 1;
      watcher?.onTrialEnded?.({ trial: {} as never });
    }
    return answer({ type: 'run-finished' });
  }

  #export(number: number, since: number): object {
    const run = this.#runs[number - 1];
    if (run === undefined) throw new Error(`there is no run ${String(number)}`);
    const { identity, planned, stored } = run;
    const startedAt = new Date().toISOString();
    const cell = { block: 0, case: 0, device: 'one' };
    const result = { samples: [{ metric: 'duration', unit: 'ms', timed: samples }] };
    const trial = {
      startedAt,
      browser: { name: 'chromium', version: '1' },
      outcome: { kind: 'completed', result },
    };
    return {
      newest: stored,
      run: {
        identity,
        suite: 'quick',
        isolation: 'session',
        status: stored < planned ? 'running' : 'finished',
        startedAt,
        finishedAt: stored < planned ? null : startedAt,
        machine: { hostname: 'one' },
      },
      devices: [{ device: { id: 'one', driver: 'playwright' } }],
      benchmarks: [
        { id: 'control', version: 1, metrics: [{ id: 'duration', direction: 'lower' }] },
      ],
      cases: [{ benchmark: 'control', parameters: {} }],
      cells: Array.from({ length: planned }, (_, ordinal) => ({
        ...cell,
        ordinal,
        trial: ordinal >= since && ordinal < stored ? trial : null,
      })),
    };
  }
}

function answer(document: unknown): CalledCommand {
  return { exitCode: exitCodes.fine, document, text: '' };
}
