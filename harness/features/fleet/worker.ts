import { dirname, join, resolve } from 'node:path';
import type { CallCommand } from '../../core/cli/io.ts';
import { errorText, exitCodes, FarmError } from '../../core/errors.ts';
import { farmVersion } from '../../core/project.ts';
import { beatMs, type HostFacts, leaveHost, renew, takeHost, type TakenHost } from './hosts.ts';
import { channelOf, type Job, JobQueue, type JobResult } from './jobs.ts';
import { describeLackOfRoom, JobRun, refuseJob } from './job-run.ts';
import { type JobEntry, Journal } from './journal.ts';
import type { FarmServer } from './server.ts';
import { againMs, ServerLink } from './server-link.ts';
import { Shipments } from './shipping.ts';

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
const hourMs = 3_600_000;
/** A command that could not finish, or whose runs cannot be sent, is tried this often. */
const mostFailures = 5;

/**
 * Takes the jobs of this host, one after the other, until the signal aborts. Each trial is stored
 * here first, and sent when the server can be reached.
 * @throws FarmError `machine-in-use` where another worker has the name, or takes it;
 * `farm-unreachable` where it has never reached the server
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { database, server, say, signal, drain } = options;
  const journal = await Journal.open(join(dirname(resolve(database)), 'worker'));
  const meanwhile = 'What is measured meanwhile is stored here, and sent later.';
  const link = new ServerLink(server, say, meanwhile);
  const begin = (): Promise<JobQueue> => JobQueue.open(server);
  // An address that has never worked may be wrong.
  const waits = journal.knows(server.name) && !drain;
  const queue = await (waits ? link.reachAtLast(begin, signal) : begin());
  if (queue === null) return;
  try {
    await new Worker(options, { journal, queue, link }).run();
  } finally {
    await queue.close();
  }
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #journal: Journal;
  readonly #queue: JobQueue;
  readonly #link: ServerLink;
  readonly #shipments: Shipments;
  readonly #lost = new AbortController();
  #lease: TakenHost | null = null;
  #current: JobRun | null = null;
  #wake: () => void = () => undefined;
  /** True if a call came since it looked for jobs. */
  #isCalled = false;
  #beating: Promise<void> | null = null;
  #tidiedAt = 0;
  #isFull = false;

  constructor(
    options: WorkerOptions,
    { journal, queue, link }: { journal: Journal; queue: JobQueue; link: ServerLink },
  ) {
    this.#options = options;
    this.#journal = journal;
    this.#queue = queue;
    this.#link = link;
    this.#shipments = new Shipments(options);
  }

  async run(): Promise<void> {
    const { server, name, signal, say } = this.#options;
    if ((await this.#link.reachAtLast(() => this.#takeName(), signal)) === null) return;
    const hear = (payload: string): void => {
      this.#hear(payload);
    };
    await this.#link.reach(() => server.listen(channelOf(name), hear));
    const onAbort = (): void => {
      this.#current?.end('leaves');
      this.#wake();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const beats = setInterval(() => {
      this.#beat();
    }, beatMs);
    say(`${name} waits for jobs of ${server.name}; Ctrl-C ends it`);
    try {
      await this.#takeJobs();
    } finally {
      clearInterval(beats);
      signal.removeEventListener('abort', onAbort);
    }
    this.#lost.signal.throwIfAborted();
    if (!this.#link.isAway) await leaveHost(server, this.#held()).catch(() => undefined);
  }

  /** A job that began before another worker had the name keeps its old lease, and is not counted. */
  async #takeName(): Promise<TakenHost> {
    const { server, name, facts } = this.#options;
    const { worker } = this.#journal;
    const lease = await takeHost(server, { name, worker, version: farmVersion(), facts });
    await this.#queue.openHost(name);
    this.#lease = lease;
    this.#journal.learn(server.name);
    for (const entry of lease.wasOurs ? this.#journal.list(server.name, name) : []) {
      this.#journal.keep({ ...entry, lease: lease.lease });
    }
    return lease;
  }

  async #takeJobs(): Promise<void> {
    const { signal, drain } = this.#options;
    while (!this.#isOver()) {
      this.#isCalled = false;
      await this.#settleAll();
      if (this.#isOver()) break;
      if (!(await this.#hasRoom())) {
        await this.#rest(againMs);
        continue;
      }
      const job = await this.#link.reach(() => this.#queue.take(this.#held()));
      if (job === 'away') await this.#rest(againMs);
      else if (job !== null) await this.#work(job);
      else if (drain) return;
      else {
        await this.#tidy();
        await this.#rest(lookMs);
      }
    }
    if (signal.aborted) await this.#settleAll();
  }

  #isOver(): boolean {
    return this.#options.signal.aborted || this.#lost.signal.aborted;
  }

  #held(): TakenHost {
    if (this.#lease === null) throw new Error('the worker has no lease yet');
    return this.#lease;
  }

  async #hasRoom(): Promise<boolean> {
    const lack = await describeLackOfRoom(this.#options.database);
    if (lack !== null && !this.#isFull) this.#options.say(lack);
    this.#isFull = lack !== null;
    return lack === null;
  }

  async #tidy(): Promise<void> {
    if (performance.now() - this.#tidiedAt < hourMs) return;
    this.#tidiedAt = performance.now();
    await this.#link.reach(() => this.#queue.tidy());
  }

  async #work(job: Job): Promise<void> {
    const { server, say, name } = this.#options;
    const held = this.#journal.list(server.name, name).find((entry) => entry.job === job.id);
    const entry: JobEntry = held ?? {
      farm: server.name,
      host: name,
      lease: this.#held().lease,
      job: job.id,
      words: [...job.words],
      runs: [],
      failures: 0,
      result: null,
    };
    if (entry.result !== null) {
      // It could not be sent yet.
      await this.#rest(againMs);
      return;
    }
    const refusal = refuseJob(job);
    if (refusal !== null) {
      this.#finish(entry, refusal);
      return;
    }
    say(`job ${String(job.id)} of ${job.askedBy}: ${job.words.join(' ')}`);
    await this.#carryOut(entry);
  }

  async #carryOut(entry: JobEntry): Promise<void> {
    const { database, call } = this.#options;
    const onNews = (): void => {
      this.#shipments.soon(async () => {
        if (this.#current === run) await this.#ship(entry);
      });
    };
    const run = new JobRun(entry, { database, call, journal: this.#journal, onNews });
    this.#current = run;
    try {
      this.#journal.keep(entry);
      const result = await run.carryOut();
      if (result !== null && !(await this.#isTriedAgain(run, result))) this.#finish(entry, result);
      else await this.#giveBack(entry, result?.text ?? null);
    } finally {
      this.#current = null;
    }
  }

  /** True if a full disk stopped the job, or its run cannot continue now. */
  async #isTriedAgain(run: JobRun, { exitCode, text }: JobResult): Promise<boolean> {
    const { entry, isCancelled } = run;
    if (exitCode !== exitCodes.unfinished || isCancelled) return false;
    if (/The disk is full|ENOSPC/.test(text) || !(await this.#hasRoom())) return true;
    entry.failures += 1;
    return entry.failures < mostFailures && (await run.isOpen());
  }

  #finish(entry: JobEntry, result: JobResult): void {
    entry.result = result;
    this.#journal.keep(entry);
  }

  /** The same host goes on with it later. */
  async #giveBack(entry: JobEntry, because: string | null): Promise<void> {
    this.#journal.keep(entry);
    await this.#ship(entry).catch((error: unknown) => this.#giveUp(entry, error));
    await this.#link.reach(() => this.#queue.yieldJob(entry.job, this.#held()));
    if (because === null) return;
    this.#options.say(
      `job ${String(entry.job)} could not finish and is tried again: ${because.split('\n').at(-1) ?? ''}`,
    );
    await this.#rest(againMs);
  }

  /** Sends the runs of jobs that have ended, and their answers. */
  async #settleAll(): Promise<void> {
    const { server, name, say } = this.#options;
    for (const entry of this.#journal.list(server.name, name)) {
      const { job, result, lease } = entry;
      const isOurs = lease === this.#held().lease;
      if (result === null && isOurs && !(await this.#isOverElsewhere(job))) continue;
      const isSent = await this.#ship(entry).catch((error: unknown) => this.#giveUp(entry, error));
      if (!isSent) return;
      if (result !== null && isOurs) {
        const ended = await this.#link.reach(() => this.#queue.end(job, this.#held(), result));
        if (ended === 'away') return;
        say(`job ${String(job)} has ended (exit code ${String(result.exitCode)})`);
      }
      this.#journal.remove(job);
      this.#shipments.forget(entry.runs);
    }
  }

  /** True once the runs of a job could not be read too often, as where its database is gone. */
  #giveUp(entry: JobEntry, error: unknown): boolean {
    this.#options.say(`job ${String(entry.job)} cannot be sent: ${errorText(error)}`);
    entry.failures += 1;
    this.#journal.keep(entry);
    return entry.failures >= mostFailures;
  }

  /** True for a job that was cancelled while this worker was away. */
  async #isOverElsewhere(job: number): Promise<boolean> {
    const look = await this.#link.reach(() => this.#queue.look(job));
    return look !== 'away' && /^(done|cancelled)$/.test(look.state);
  }

  /** False where not all of it could be sent: the server is away, or the disk is full. */
  async #ship(entry: JobEntry): Promise<boolean> {
    const held = this.#held();
    const lease = { ...held, lease: entry.lease };
    const sent = await this.#link
      .reach(() => this.#shipments.send(entry, lease))
      .catch(async (error: unknown) => {
        if (await this.#hasRoom()) throw error;
        return 'away' as const;
      });
    if (sent === 'away') return false;
    if (!sent && entry.lease === held.lease) this.#lose();
    const progress = this.#current?.entry === entry ? this.#current.progress : null;
    if (progress !== null)
      await this.#link.reach(() => this.#queue.keepProgress(entry.job, held, progress));
    return true;
  }

  /** Says that the worker lives, and looks what is wanted of it. One beat at a time. */
  #beat(): void {
    this.#beating ??= this.#beatOnce()
      .catch((error: unknown) => {
        this.#loseBy(error);
      })
      .finally(() => {
        this.#beating = null;
      });
  }

  async #beatOnce(): Promise<void> {
    const isHeld = await this.#link.reach(() => renew(this.#options.server, this.#held()));
    if (isHeld === false) this.#lose();
    const current = this.#current;
    if (current === null || isHeld !== true) return;
    const look = await this.#link.reach(() => this.#queue.look(current.entry.job));
    if (look === 'away') return;
    if (/^(cancelling|cancelled|done)$/.test(look.state)) current.end('cancelled');
    else if (look.isOutranked) current.end('yields');
  }

  #hear(payload: string): void {
    if (payload === `cancel ${String(this.#current?.entry.job)}`) this.#current?.end('cancelled');
    if (this.#current !== null) this.#beat();
    this.#isCalled = true;
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

  /** Until a job comes, the worker is to end, or the time is up. */
  async #rest(ms: number): Promise<void> {
    if (this.#isOver() || this.#isCalled) return;
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
