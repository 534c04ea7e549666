import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededGenerator, type SeededGenerator } from '../../core/analysis/stats/random.ts';
import { exitCodes } from '../../core/errors.ts';
import type { MeasurementName } from '../../core/plan/catalog/measurement.ts';
import { FarmUnderFire } from './farm-under-fire.ts';
import { gridDevice, GridUnderFire } from './grid-under-fire.ts';
import { injections, type OutsideFault, type Scene } from './injections.ts';
import { makePages, type PageFault } from './pages.ts';
import { NightWork, RunWork, type WorkState, type Work, type WorkOrder } from './run-work.ts';
import { mountSmallDisk } from './small-disk.ts';
import { type CampaignResult, fingerprint, type Fingerprint, Tally } from './tally.ts';

interface CampaignOrder {
  /** An empty folder for everything. */
  readonly folder: string;
  readonly seed: number;
  /** The fewest faults. */
  readonly faults: number;
  /** The repeated work of the farm. */
  readonly work: 'runs' | 'nights';
  readonly devices: readonly string[];
  readonly outside: readonly OutsideFault[];
  readonly pages: readonly PageFault[];
  /** Blocks of each run. */
  readonly blocks: number;
  /** The usual one when left out: its trials wait for a quiet machine. */
  readonly measurement?: MeasurementName;
  readonly say: (sentence: string) => void;
}

/**
 * Measures with the built farm again and again, and injects one fault after the other at random
 * moments, drawn from the seed. Restarts a farm that ends, as a person or a timer would. At the end
 * everything is counted in the database.
 */
export async function runCampaign(order: CampaignOrder): Promise<CampaignResult> {
  const { folder, devices, blocks, measurement, seed } = order;
  const profiles = join(folder, 'sessions');
  await mkdir(profiles, { recursive: true });
  const disk = order.outside.includes('disk full')
    ? await mountSmallDisk(join(folder, 'disk'))
    : null;
  const store = disk?.folder ?? join(folder, 'store');
  await mkdir(store, { recursive: true });
  // Profiles lie next to the database, but must not fill its small disk.
  const sessions = join(store, 'sessions');
  await symlink(profiles, sessions);
  const grid = devices.includes(gridDevice)
    ? await GridUnderFire.start(join(folder, 'grid'))
    : null;
  const pages = await makePages(folder, order.pages, grid);
  const mark = `${String(process.pid)}-${String(seed)}`;
  const farm = new FarmUnderFire(folder, { sessions, mark });
  const database = join(store, 'farm.db');
  const given: WorkOrder = { pages, database, devices, blocks, measurement, seed };
  const work = order.work === 'nights' ? new NightWork(given, sessions) : new RunWork(given);
  try {
    return await new Campaign(order, { farm, disk, grid, database }, work).hold();
  } finally {
    await farm.endAll();
    await grid?.end();
    await disk?.remove();
  }
}

/** The longest time without a stored trial, and the most starts of a farm for one work. */
const patienceMs = 180_000;
const mostStarts = 40;

type Ground = Omit<Scene, 'generator'>;

/** Runs one work of the farm after the other with its faults, until there are enough faults. */
class Campaign {
  readonly #order: CampaignOrder;
  readonly #ground: Ground;
  readonly #work: Work;
  readonly #tally: Tally;
  readonly #generator: SeededGenerator;
  readonly #deck: ShuffledDeck<OutsideFault>;

  constructor(order: CampaignOrder, ground: Ground, work: Work) {
    this.#order = order;
    this.#ground = ground;
    this.#work = work;
    this.#tally = new Tally(work.noun, work.looksFor);
    this.#generator = seededGenerator(order.seed);
    this.#deck = new ShuffledDeck(order.outside, this.#generator);
  }

  async hold(): Promise<CampaignResult> {
    const { noun, again } = this.#work;
    while (!this.#isEnough() && !this.#tally.isStuck) {
      const number = this.#tally.begin();
      const committed = await this.#holdOne(number);
      await this.#audit(number, committed);
      this.#order.say(`${noun} ${String(number)}: ${String(this.#tally.injected)} faults so far`);
    }
    return this.#tally.result(again);
  }

  #isEnough(): boolean {
    return this.#tally.injected >= this.#order.faults;
  }

  /** @returns every trial that was seen in the database before some fault. */
  async #holdOne(number: number): Promise<ReadonlyMap<number, Fingerprint>> {
    const { farm } = this.#ground;
    const committed = new Map<number, Fingerprint>();
    const injected: OutsideFault[] = [];
    farm.start(this.#work.begin(number));
    for (let starts = 1; starts <= mostStarts;) {
      // Read before the look: a later end is seen the next time.
      const farmEnded = farm.ended !== null;
      const standing = await this.#work.look(number);
      for (const trial of standing.record?.trials ?? []) committed.set(...fingerprint(trial));
      if (farmEnded) {
        if (standing.ended) return committed;
        starts += 1;
        this.#restart(number);
      }
      await this.#oneFault(number, standing, injected);
    }
    const { noun } = this.#work;
    await this.#giveUp(`${noun} ${String(number)} had no end after ${String(mostStarts)} starts`);
    return committed;
  }

  async #oneFault(number: number, before: WorkState, injected: OutsideFault[]): Promise<void> {
    const { farm } = this.#ground;
    // Before the first trial there is nothing to lose, and after the last fault only the end is
    // left.
    const trials = before.record?.trials.length ?? 0;
    if (trials === 0 || this.#isEnough()) {
      await this.#untilStored(number, trials);
      return;
    }
    await pause(100 + this.#generator.nextInt(1_200));
    if (farm.ended !== null) return;
    const fault = this.#deck.draw((one) => this.#work.mayInject(one, injected));
    if (fault === null) {
      await this.#untilStored(number, trials);
      return;
    }
    const startedAt = performance.now();
    const stored = (await this.#work.look(number)).record?.trials.length ?? 0;
    const scene: Scene = { ...this.#ground, generator: this.#generator };
    if (!(await injections[fault](scene))) return;
    injected.push(fault);
    this.#tally.fault(fault);
    await this.#recover(number, stored, { fault, startedAt });
  }

  async #recover(
    number: number,
    stored: number,
    { fault, startedAt }: { readonly fault: OutsideFault; readonly startedAt: number },
  ): Promise<void> {
    const { farm } = this.#ground;
    for (let starts = 0; starts < 3; starts += 1) {
      if (await this.#untilStored(number, stored)) {
        this.#tally.recoveries.push({ fault, ms: performance.now() - startedAt });
        return;
      }
      if (farm.ended === null || (await this.#work.look(number)).ended) return;
      this.#restart(number);
    }
  }

  /**
   * Restarts the farm. If it gave up, its exit code and words say why; if it broke, that is a
   * finding.
   */
  #restart(number: number): void {
    const { farm } = this.#ground;
    const { code = null, words = '' } = farm.ended ?? {};
    if (code !== null) {
      const last = words.trim().split('\n').slice(-2).join(' ');
      this.#order.say(`the farm ended with ${String(code)}: ${last}`);
      const gaveUp = code === exitCodes.unfinished;
      if (!gaveUp) this.#tally.findings.push(`the farm broke with ${String(code)}: ${words}`);
    }
    this.#tally.restarts += 1;
    farm.start(this.#work.goOn(number));
  }

  /** Returns whether another trial was stored; false if the farm ended before, or hangs. */
  async #untilStored(number: number, than: number): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    const { farm } = this.#ground;
    for (;;) {
      const farmEnded = farm.ended !== null;
      const { record } = await this.#work.look(number);
      if ((record?.trials.length ?? 0) > than) return true;
      if (farmEnded) return false;
      if (performance.now() > deadline) break;
      await pause(50);
    }
    const seconds = String(patienceMs / 1000);
    await this.#giveUp(`${this.#work.noun} ${String(number)} stored nothing for ${seconds} s`);
    return false;
  }

  async #giveUp(sentence: string): Promise<void> {
    const { farm } = this.#ground;
    this.#tally.stuck(sentence);
    farm.kill('SIGKILL');
    await farm.settled();
  }

  async #audit(number: number, committed: ReadonlyMap<number, Fingerprint>): Promise<void> {
    const { farm, grid } = this.#ground;
    const { record } = await this.#work.look(number);
    if (record === null) {
      this.#tally.stuck(`${this.#work.noun} ${String(number)} cannot be read`);
      return;
    }
    this.#tally.end({
      record,
      committed,
      processes: farm.sessionProcesses().length,
      sessions: (await grid?.held()) ?? 0,
      flaws: await this.#work.flaws(number, farm.ended?.code ?? null),
    });
  }
}

/**
 * Draws things in random order, each once before any comes again, so that a long campaign draws
 * them all.
 */
class ShuffledDeck<Thing> {
  readonly #all: readonly Thing[];
  readonly #generator: SeededGenerator;
  #left: Thing[] = [];

  constructor(all: readonly Thing[], generator: SeededGenerator) {
    if (all.length === 0) throw new RangeError('there is nothing to draw');
    this.#all = all;
    this.#generator = generator;
  }

  /**
   * Draws one that is allowed now. The others stay for later; if only such are left, the allowed
   * ones come again.
   * @returns null when none may.
   */
  draw(mayBeDrawn: (one: Thing) => boolean = () => true): Thing | null {
    if (!this.#left.some(mayBeDrawn)) this.#left.push(...this.#all.filter(mayBeDrawn));
    const fair = this.#left.filter(mayBeDrawn);
    const one = fair[this.#generator.nextInt(Math.max(1, fair.length))];
    if (one === undefined) return null;
    this.#left.splice(this.#left.indexOf(one), 1);
    return one;
  }
}
