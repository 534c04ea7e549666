import type { RunRecord } from '../../model/run.ts';
import { openStore } from '../../store/store.ts';
import { measuringArguments, type Standing, type Work, type WorkOrder } from './work.ts';

/** `farm run`, gone on with by `farm resume`, as a person does. The n-th has the number n. */
export class RunWork implements Work {
  readonly noun = 'run';
  readonly again = 'farm resume';
  readonly looksFor: readonly string[] = [];
  readonly #order: WorkOrder;
  #stored = false;

  constructor(order: WorkOrder) {
    this.#order = order;
  }

  begin(number: number): readonly string[] {
    this.#stored = false;
    const seed = String(this.#order.seed + number);
    return ['run', ...measuringArguments(this.#order), '--seed', seed];
  }

  /** One that was never stored is begun once more. */
  goOn(number: number): readonly string[] {
    if (!this.#stored) return this.begin(number);
    return ['resume', String(number), '--database', this.#order.database, '--json'];
  }

  async look(number: number): Promise<Standing> {
    const record = await readStored(this.#order.database, number);
    if (record !== null) this.#stored = true;
    return { record, ended: record?.run.status === 'finished' };
  }

  mayInject(): boolean {
    return true;
  }

  flaws(): Promise<readonly never[]> {
    return Promise.resolve([]);
  }
}

/** Null when it is not stored yet. A reader never waits for a writer, nor holds one up. */
export async function readStored(database: string, run: number): Promise<RunRecord | null> {
  try {
    const store = await openStore(database);
    return await store.readRun(run).finally(() => store.close());
  } catch {
    // While a fault has the database, it cannot be read either.
    return null;
  }
}
