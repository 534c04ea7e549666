import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../errors.ts';
import type { RunRecord } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import { seededGenerator, type SeededGenerator } from '../../stats/random.ts';
import { appiumFolder } from '../../setup/appium.ts';
import { openStore } from '../../store/store.ts';
import { Deck } from './deck.ts';
import { FarmUnderFire } from './farm-under-fire.ts';
import { gridDevice, GridUnderFire } from './grid-under-fire.ts';
import { injections, type OutsideFault, type Scene } from './injections.ts';
import { makePages, pageFaults, type PageFault } from './pages.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

export interface CampaignOrder {
  /** An empty folder; everything happens in it. */
  readonly folder: string;
  readonly seed: number;
  /** How many faults at least. */
  readonly faults: number;
  readonly devices: readonly string[];
  readonly outside: readonly OutsideFault[];
  readonly pages: readonly PageFault[];
  /** Blocks of each run. */
  readonly blocks: number;
  readonly say: (sentence: string) => void;
}

export interface Recovery {
  readonly fault: string;
  /** From the fault to the next trial that was stored; of a page's fault the time that it cost. */
  readonly ms: number;
}

export interface CampaignResult {
  readonly faults: Readonly<Record<string, number>>;
  readonly recoveries: readonly Recovery[];
  readonly runs: number;
  /** How often the farm had to be started again: `farm resume`. */
  readonly restarts: number;
  readonly trials: number;
  /** Seen in the database before a fault, and no longer the same after it. */
  readonly lostTrials: number;
  /** Cells with two outcomes. */
  readonly duplicatedCells: number;
  /** Cells without any, at the end of their run. */
  readonly cellsWithoutOutcome: number;
  readonly runsWithoutEnd: number;
  /** Processes that lived when their run had ended. */
  readonly leftoverProcesses: number;
  /** Sessions that the grid still held when their run had ended. */
  readonly leftoverSessions: number;
  /** Cells that were not tried, because their device had failed too often, or was not found again. */
  readonly skipped: { readonly byQuarantine: number; readonly otherwise: number };
  /** Sentences about whatever of the above is not 0. */
  readonly findings: readonly string[];
}

/** So long a farm may go without storing anything, and so often it may be started for one run. */
const patienceMs = 180_000;
const mostStarts = 40;

/**
 * Measures with the built farm, again and again, and injects one fault after the other into it at
 * random moments, drawn from the seed. A farm that ends is started again with `farm resume`, as a
 * person or a timer would. In the end everything is counted in the database.
 */
export async function runCampaign(order: CampaignOrder): Promise<CampaignResult> {
  const { folder } = order;
  const sessions = join(folder, 'sessions');
  await mkdir(sessions, { recursive: true });
  // A farm finds Appium below the folder that it is started in.
  await mkdir(join(folder, '.farm'));
  await symlink(appiumFolder(), join(folder, '.farm', 'appium'));
  const disk = order.outside.includes('disk full')
    ? await mountSmallDisk(join(folder, 'disk'))
    : null;
  const store = disk?.folder ?? join(folder, 'store');
  await mkdir(store, { recursive: true });
  // Profiles lie beside the database, and must not fill its small disk.
  await symlink(sessions, join(store, 'sessions'));
  const grid = order.devices.includes(gridDevice)
    ? await GridUnderFire.start(join(folder, 'grid'))
    : null;
  const pages = await makePages(folder, order.pages, grid);
  const mark = `${String(process.pid)}-${String(order.seed)}`;
  const farm = new FarmUnderFire(folder, { sessions: join(store, 'sessions'), mark });
  const campaign = new Campaign(order, {
    ...{ farm, disk, grid, pages },
    database: join(store, 'farm.db'),
  });
  try {
    return await campaign.run();
  } finally {
    await farm.endAll();
    await grid?.end();
    await disk?.remove();
  }
}

interface Means {
  readonly farm: FarmUnderFire;
  readonly disk: SmallDisk | null;
  readonly grid: GridUnderFire | null;
  readonly pages: string;
  readonly database: string;
}

/** What identifies a stored trial: it was this one, and not another in its place. */
type Fingerprint = string;

class Campaign {
  readonly #order: CampaignOrder;
  readonly #means: Means;
  readonly #generator: SeededGenerator;
  readonly #counts = new Map<string, number>();
  readonly #recoveries: Recovery[] = [];
  readonly #findings: string[] = [];
  readonly #deck: Deck<OutsideFault>;
  #totals = { runs: 0, restarts: 0, trials: 0, lost: 0, duplicated: 0, without: 0 };
  #endless = 0;
  #leftovers = 0;
  #leftoverSessions = 0;
  readonly #skipped = { byQuarantine: 0, otherwise: 0 };

  constructor(order: CampaignOrder, means: Means) {
    this.#order = order;
    this.#means = means;
    this.#generator = seededGenerator(order.seed);
    this.#deck = new Deck(order.outside, this.#generator);
  }

  async run(): Promise<CampaignResult> {
    while (this.#injected() < this.#order.faults && this.#endless === 0) {
      this.#totals.runs += 1;
      const run = this.#totals.runs;
      const committed = await this.#holdRun(run);
      await this.#audit(run, committed);
      this.#order.say(`run ${String(run)}: ${String(this.#injected())} faults so far`);
    }
    const { runs, restarts, trials, lost, duplicated, without } = this.#totals;
    return {
      ...{ runs, restarts, trials, recoveries: this.#recoveries, findings: this.#findings },
      faults: Object.fromEntries(this.#counts),
      lostTrials: lost,
      duplicatedCells: duplicated,
      cellsWithoutOutcome: without,
      runsWithoutEnd: this.#endless,
      leftoverProcesses: this.#leftovers,
      leftoverSessions: this.#leftoverSessions,
      skipped: this.#skipped,
    };
  }

  #injected(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @returns every trial that was seen in the database before some fault. */
  async #holdRun(run: number): Promise<ReadonlyMap<number, Fingerprint>> {
    const { farm } = this.#means;
    const committed = new Map<number, Fingerprint>();
    farm.start(this.#runArguments());
    for (let starts = 1; starts <= mostStarts;) {
      const record = await this.#read(run);
      for (const trial of record?.trials ?? []) committed.set(...fingerprint(trial));
      if (farm.ended !== null) {
        if (record?.run.status === 'finished') return committed;
        starts += 1;
        this.#restart(record === null ? this.#runArguments() : this.#resumeArguments(run));
      }
      await this.#oneFault(run, record);
    }
    this.#endless += 1;
    this.#findings.push(`run ${String(run)} was not finished after ${String(mostStarts)} starts`);
    farm.kill('SIGKILL');
    await farm.settled();
    return committed;
  }

  async #oneFault(run: number, before: RunRecord | null): Promise<void> {
    const { farm } = this.#means;
    // Before the first trial there is nothing to lose, and after the last fault nothing to do but wait.
    const trials = before?.trials.length ?? 0;
    if (trials === 0 || this.#injected() >= this.#order.faults) {
      await this.#untilStored(run, trials);
      return;
    }
    await pause(100 + this.#generator.nextInt(1_200));
    if (farm.ended !== null) return;
    const fault = this.#deck.draw();
    const startedAt = performance.now();
    const stored = (await this.#read(run))?.trials.length ?? 0;
    const scene: Scene = { ...this.#means, generator: this.#generator };
    if (!(await injections[fault](scene))) return;
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
    await this.#recover(run, stored, { fault, startedAt });
  }

  async #recover(
    run: number,
    stored: number,
    { fault, startedAt }: { readonly fault: string; readonly startedAt: number },
  ): Promise<void> {
    const { farm } = this.#means;
    for (let starts = 0; starts < 3; starts += 1) {
      if (await this.#untilStored(run, stored)) {
        this.#recoveries.push({ fault, ms: performance.now() - startedAt });
        return;
      }
      if (farm.ended === null || (await this.#read(run))?.run.status === 'finished') return;
      this.#restart(this.#resumeArguments(run));
    }
  }

  /** A farm that gave up says why, with the exit code for that; one that broke is a finding. */
  #restart(args: readonly string[]): void {
    const { farm } = this.#means;
    const { code = null, words = '' } = farm.ended ?? {};
    if (code !== null) {
      const last = words.trim().split('\n').slice(-2).join(' ');
      this.#order.say(`the farm ended with ${String(code)}: ${last}`);
      const gaveUp = code === exitCodes.unfinished && !words.includes('bug of the farm');
      if (!gaveUp) this.#findings.push(`the farm broke with ${String(code)}: ${words}`);
    }
    this.#totals.restarts += 1;
    farm.start(args);
  }

  /** Whether another trial is stored; false when the farm ended before, or hangs. */
  async #untilStored(run: number, than: number): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    const { farm } = this.#means;
    for (;;) {
      const ended = farm.ended !== null;
      if (((await this.#read(run))?.trials.length ?? 0) > than) return true;
      if (ended) return false;
      if (performance.now() > deadline) break;
      await pause(50);
    }
    this.#findings.push(`run ${String(run)} stored nothing for ${String(patienceMs / 1000)} s`);
    this.#endless += 1;
    farm.kill('SIGKILL');
    await farm.settled();
    return false;
  }

  #runArguments(): readonly string[] {
    const { devices, blocks, seed } = this.#order;
    const { pages, database } = this.#means;
    return [
      ...['run', '--suite', 'faults', '--pages', pages, '--database', database],
      ...['--device', devices.join(','), '--trials', String(blocks), '--deadline', '4'],
      ...['--no-repeat', '--json', '--seed', String(seed + this.#totals.runs)],
    ];
  }

  #resumeArguments(run: number): readonly string[] {
    return ['resume', String(run), '--database', this.#means.database, '--json'];
  }

  /** Null when the run is not stored yet. A reader never waits for a writer, nor holds one up. */
  async #read(run: number): Promise<RunRecord | null> {
    try {
      const store = await openStore(this.#means.database);
      return await store.readRun(run).finally(() => store.close());
    } catch {
      // While a fault has the database, it cannot be read either.
      return null;
    }
  }

  async #audit(run: number, committed: ReadonlyMap<number, Fingerprint>): Promise<void> {
    const record = await this.#read(run);
    if (record === null) throw new Error(`run ${String(run)} cannot be read`);
    const now = new Map(record.trials.map(fingerprint));
    const lost = [...committed].filter(([ordinal, print]) => now.get(ordinal) !== print);
    const duplicated = record.trials.length - now.size;
    const without = record.jobs.length - now.size;
    const left = this.#means.farm.sessionProcesses().length;
    const held = (await this.#means.grid?.held()) ?? 0;
    this.#totals.trials += record.trials.length;
    this.#totals.lost += lost.length;
    this.#totals.duplicated += duplicated;
    this.#totals.without += this.#endless === 0 ? without : 0;
    this.#leftovers += left;
    this.#leftoverSessions += held;
    const counts = { lost: lost.length, duplicated, without, left, held };
    for (const [what, count] of Object.entries(counts)) {
      if (count > 0) this.#findings.push(`run ${String(run)}: ${String(count)} ${what}`);
    }
    this.#countPages(record);
    this.#countSkipped(record);
  }

  #countSkipped({ trials }: RunRecord): void {
    for (const { outcome } of trials) {
      if (outcome.kind !== 'skipped') continue;
      this.#skipped[outcome.reason.startsWith('quarantined') ? 'byQuarantine' : 'otherwise'] += 1;
    }
  }

  /** Faults of pages are cases of the plan: each that was tried is one. */
  #countPages(record: RunRecord): void {
    for (const { job, outcome, wallMs } of record.trials) {
      const fault = job.case.parameters['fault'];
      if (typeof fault !== 'string' || !(fault in pageFaults)) continue;
      if (outcome.kind === 'skipped') continue;
      this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
      this.#recoveries.push({ fault, ms: wallMs });
      if (outcome.kind === 'completed') this.#findings.push(`${fault} completed`);
    }
  }
}

function fingerprint(trial: Trial): [number, Fingerprint] {
  const { job, outcome, startedAt, wallMs } = trial;
  return [job.ordinal, JSON.stringify([outcome.kind, startedAt, wallMs, trial.failedAttempts])];
}
