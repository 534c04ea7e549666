import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallCommand } from '../../core/cli/io.ts';
import { errorText, exitCodes, FarmError } from '../../core/errors.ts';
import { farmVersion } from '../../core/project.ts';
import { beatMs, type HostFacts, type Lease, leaveHost, renew, takeHost } from './hosts.ts';
import { channelOf, type Job, JobQueue } from './jobs.ts';
import { JobRun } from './job-run.ts';
import { type JobEntry, Journal } from './journal.ts';
import { requireMeasuring } from './measuring-words.ts';
import type { FarmServer } from './server.ts';
import { Shipment } from './shipping.ts';

export interface WorkerOptions {
  readonly server: FarmServer;
  /** The name of this host in the farm. */
  readonly name: string;
  readonly facts: HostFacts;
  /** Where runs are stored before they are sent. */
  readonly database: string;
  readonly call: CallCommand;
  /** Ends when no job waits, instead of waiting for one. */
  readonly drain: boolean;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** Without a call a worker looks for jobs after this long. */
const lookMs = 30_000;
/** Between two tries of what failed: a server that is away, a full disk. */
const againMs = 5_000;
/** A command that could not finish is continued this often. */
const mostStarts = 5;
/** At most a hundredth of the time goes into copies of a run. */
const costShare = 100;
const soonestMs = 1_000;

/**
 * Takes the jobs of this host, one after the other, until the signal aborts. Each trial is stored
 * here first, and sent when the server can be reached.
 * @throws FarmError `machine-in-use` where another worker has the name, or takes it
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { database, server } = options;
  const journal = await Journal.open(join(dirname(resolve(database)), 'worker'));
  const queue = await JobQueue.open(server);
  const worker = new Worker(options, journal, queue);
  try {
    await worker.run();
  } finally {
    await queue.close();
  }
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #journal: Journal;
  readonly #queue: JobQueue;
  readonly #lost = new AbortController();
  #lease: Lease | null = null;
  #current: JobRun | null = null;
  #shipments = new Map<number, Shipment>();
  #wake: () => void = () => undefined;
  #isAway = false;
  #shipping: Promise<void> | null = null;

  constructor(options: WorkerOptions, journal: Journal, queue: JobQueue) {
    this.#options = options;
    this.#journal = journal;
    this.#queue = queue;
  }

  async run(): Promise<void> {
    const { server, name, facts, signal, say } = this.#options;
    const { worker } = this.#journal;
    this.#lease = await takeHost(server, { name, worker, version: farmVersion(), facts });
    await this.#queue.openHost(name);
    await this.#queue.release(this.#lease);
    await server.listen(channelOf(name), (payload) => {
      this.#hear(payload);
    });
    const onAbort = (): void => {
      this.#current?.end('leaves');
      this.#wake();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const beats = setInterval(() => void this.#beat(), beatMs);
    say(`${name} waits for jobs of ${server.name}; Ctrl-C ends it`);
    try {
      await this.#takeJobs();
    } finally {
      clearInterval(beats);
      signal.removeEventListener('abort', onAbort);
    }
    this.#lost.signal.throwIfAborted();
    await leaveHost(server, this.#lease).catch(() => undefined);
  }

  async #takeJobs(): Promise<void> {
    const { signal, drain } = this.#options;
    while (!this.#isOver()) {
      await this.#settleAll();
      const job = await this.#reach(() => this.#queue.take(this.#held()));
      if (job === 'away') await this.#rest(againMs);
      else if (job !== null) await this.#work(job);
      else if (drain) return;
      else await this.#rest(lookMs);
    }
    if (signal.aborted) await this.#settleAll();
  }

  #isOver(): boolean {
    return this.#options.signal.aborted || this.#lost.signal.aborted;
  }

  #held(): Lease {
    if (this.#lease === null) throw new Error('the worker has no lease yet');
    return this.#lease;
  }

  async #work(job: Job): Promise<void> {
    const { server, say } = this.#options;
    const known = this.#journal.list(server.name).find((entry) => entry.job === job.id);
    const entry = known ?? {
      farm: server.name,
      job: job.id,
      words: [...job.words],
      runs: [],
      result: null,
    };
    if (entry.result !== null) return;
    try {
      requireMeasuring(job.words);
    } catch (error) {
      this.#finish(entry, { exitCode: exitCodes.usage, document: null, text: errorText(error) });
      return;
    }
    say(`job ${String(job.id)} of ${job.askedBy}: ${job.words.join(' ')}`);
    await this.#carryOut(job, entry);
  }

  async #carryOut(job: Job, entry: JobEntry): Promise<void> {
    const { database, call } = this.#options;
    const onNews = (): void => {
      this.#shipSoon(entry);
    };
    const run = new JobRun(entry, { database, call, journal: this.#journal, onNews });
    this.#current = run;
    try {
      this.#journal.keep(entry);
      const result = await run.carryOut();
      const isStuck = result?.exitCode === exitCodes.unfinished && entry.runs.length > 0;
      const isTriedAgain = isStuck && job.starts < mostStarts && !run.isCancelled;
      if (result !== null && !isTriedAgain) this.#finish(entry, result);
      else await this.#giveBack(entry, result?.text ?? null);
    } finally {
      this.#current = null;
    }
  }

  #finish(entry: JobEntry, result: NonNullable<JobEntry['result']>): void {
    entry.result = result;
    this.#journal.keep(entry);
  }

  /** The same host goes on with it later. */
  async #giveBack(entry: JobEntry, because: string | null): Promise<void> {
    await this.#ship(entry);
    await this.#reach(() => this.#queue.yieldJob(entry.job, this.#held()));
    if (because === null) return;
    this.#options.say(
      `job ${String(entry.job)} could not finish and is tried again: ${because.split('\n').at(-1) ?? ''}`,
    );
    await this.#rest(againMs);
  }

  /** Sends the runs of jobs that have ended, and their answers. */
  async #settleAll(): Promise<void> {
    const { server } = this.#options;
    for (const entry of this.#journal.list(server.name)) {
      if (entry.result === null) continue;
      const isSent = await this.#ship(entry);
      if (!isSent) return;
      const { result } = entry;
      if ((await this.#reach(() => this.#queue.end(entry.job, this.#held(), result))) === 'away')
        return;
      this.#options.say(
        `job ${String(entry.job)} has ended (exit code ${String(result.exitCode)})`,
      );
      this.#journal.remove(entry.job);
      this.#shipments = new Map();
    }
  }

  /** Between trials, and less often where a copy takes long: it must not disturb what is measured. */
  #shipSoon(entry: JobEntry): void {
    if (this.#shipping !== null) return;
    const costMs = Math.max(0, ...[...this.#shipments.values()].map((one) => one.costMs));
    this.#shipping = (async () => {
      await pause(Math.max(soonestMs, costMs * costShare), undefined, { ref: false });
      if (this.#current?.entry === entry) await this.#ship(entry);
    })()
      .catch((error: unknown) => {
        this.#options.say(`runs are not sent for now: ${errorText(error)}`);
      })
      .finally(() => {
        this.#shipping = null;
      });
  }

  /** False where the server is away. */
  async #ship(entry: JobEntry): Promise<boolean> {
    const { server, database, call, name } = this.#options;
    const origin = { host: name, job: entry.job, lease: this.#held() };
    for (const run of entry.runs) {
      const shipment = this.#shipments.get(run) ?? new Shipment(run, { database, call });
      this.#shipments.set(run, shipment);
      const sent = await this.#reach(() => shipment.send(server, origin));
      if (sent === 'away') return false;
      if (sent.isStale) this.#lose();
    }
    const progress = this.#current?.entry === entry ? this.#current.progress : null;
    if (progress !== null)
      await this.#reach(() => this.#queue.keepProgress(entry.job, this.#held(), progress));
    return true;
  }

  async #beat(): Promise<void> {
    const isHeld = await this.#reach(() => renew(this.#options.server, this.#held())).catch(
      (error: unknown) => {
        this.#loseBy(error);
        return 'away' as const;
      },
    );
    if (isHeld === false) this.#lose();
    const current = this.#current;
    if (current === null || isHeld === 'away') return;
    const look = await this.#reach(() => this.#queue.look(current.entry.job));
    if (look === 'away') return;
    if (look.state === 'cancelling') current.end('cancelled');
    else if (look.isOutranked) current.end('yields');
  }

  #hear(payload: string): void {
    if (payload === `cancel ${String(this.#current?.entry.job)}`) this.#current?.end('cancelled');
    if (this.#current !== null) void this.#beat();
    this.#wake();
  }

  #lose(): void {
    this.#loseBy(
      new FarmError('machine-in-use', {
        what: `Another worker has the name ${this.#options.name} now. What was measured since then is kept, and not counted.`,
        next: 'Give one of them its own name: --as rack-2',
      }),
    );
  }

  #loseBy(error: unknown): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort(error);
    this.#current?.end('leaves');
    this.#wake();
  }

  /** Does something with the server; `away` where it cannot be reached. */
  async #reach<T>(work: () => Promise<T>): Promise<T | 'away'> {
    try {
      const result = await work();
      if (this.#isAway) this.#options.say(`${this.#options.server.name} is back`);
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!(error instanceof FarmError) || error.code !== 'farm-unreachable') throw error;
      if (!this.#isAway)
        this.#options.say(
          `${error.message} What is measured meanwhile is stored here, and sent later.`,
        );
      this.#isAway = true;
      return 'away';
    }
  }

  /** Until a job comes, the worker is to end, or the time is up. */
  async #rest(ms: number): Promise<void> {
    if (this.#isOver()) return;
    await new Promise<void>((resolved) => {
      const timer = setTimeout(resolved, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolved();
      };
    });
    this.#wake = () => undefined;
  }
}
