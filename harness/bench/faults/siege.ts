import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../errors.ts';
import { seededGenerator, type SeededGenerator } from '../../analysis/stats/random.ts';
import type { CampaignOrder } from './campaign.ts';
import { Deck } from './deck.ts';
import { injections, type OutsideFault, type Scene } from './injections.ts';
import { fingerprint, Tally, type CampaignResult, type Fingerprint } from './tally.ts';
import type { Standing, Work } from './work.ts';

/** So long a farm may go without storing anything, and so often it may be started for one work. */
const patienceMs = 180_000;
const mostStarts = 40;

type Ground = Omit<Scene, 'generator'>;

/** One work of the farm after the other, each with its faults, until there were enough of these. */
export class Siege {
  readonly #order: CampaignOrder;
  readonly #ground: Ground;
  readonly #work: Work;
  readonly #tally: Tally;
  readonly #generator: SeededGenerator;
  readonly #deck: Deck<OutsideFault>;

  constructor(order: CampaignOrder, ground: Ground, work: Work) {
    this.#order = order;
    this.#ground = ground;
    this.#work = work;
    this.#tally = new Tally(work.noun, work.looksFor);
    this.#generator = seededGenerator(order.seed);
    this.#deck = new Deck(order.outside, this.#generator);
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
      // Asked before the look: what ended since is seen the next time.
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

  async #oneFault(number: number, before: Standing, injected: OutsideFault[]): Promise<void> {
    const { farm } = this.#ground;
    // Before the first trial there is nothing to lose, and after the last fault nothing to do but wait.
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

  /** A farm that gave up says why, with the exit code for that; one that broke is a finding. */
  #restart(number: number): void {
    const { farm } = this.#ground;
    const { code = null, words = '' } = farm.ended ?? {};
    if (code !== null) {
      const last = words.trim().split('\n').slice(-2).join(' ');
      this.#order.say(`the farm ended with ${String(code)}: ${last}`);
      const gaveUp = code === exitCodes.unfinished && !words.includes('bug of the farm');
      if (!gaveUp) this.#tally.findings.push(`the farm broke with ${String(code)}: ${words}`);
    }
    this.#tally.restarts += 1;
    farm.start(this.#work.goOn(number));
  }

  /** Whether another trial is stored; false when the farm ended before, or hangs. */
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
      ...{ record, committed, processes: farm.sessionProcesses().length },
      sessions: (await grid?.held()) ?? 0,
      flaws: await this.#work.flaws(number, farm.ended?.code ?? null),
    });
  }
}
