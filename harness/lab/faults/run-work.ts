import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { mostContinuations } from '../../features/nights/continue-night.ts';
import { nightDeclaration, type NightDocument } from '../../features/nights/night-document.ts';
import { nightsFolder } from '../../features/nights/night-folder.ts';
import type { RunRecord } from '../../core/model/run.ts';
import type { MeasurementName } from '../../core/plan/catalog/measurement.ts';
import { openStore } from '../../core/store/store.ts';
import type { OutsideFault } from './injections.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** `farm run`, continued by `farm resume` until it is finished. The n-th run has the number n. */
export class RunWork implements Work {
  readonly noun = 'run';
  readonly again = `${npxCrossfarm} continue`;
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

  /** Begins a run again if it was never stored. */
  goOn(number: number): readonly string[] {
    if (!this.#stored) return this.begin(number);
    return ['resume', String(number), '--database', this.#order.database, '--json'];
  }

  async look(number: number): Promise<WorkState> {
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

/** Null if it is not stored yet. A reader neither waits for a writer nor blocks one. */
async function readStored(database: string, run: number): Promise<RunRecord | null> {
  try {
    const store = await openStore(database);
    return await store.readRun(run).finally(() => store.close());
  } catch {
    // A fault that locks the database keeps it from being read.
    return null;
  }
}

/** The work that a farm under fire has to finish, again and again: a run, or a night. */
export interface Work {
  /** The names of the work and of the command that continues it, for messages. */
  readonly noun: 'run' | 'night';
  readonly again: string;
  /** Arguments of the farm that begins the work with this number, counted from 1. */
  begin(number: number): readonly string[];
  /** Arguments of the farm that continues it when the one before has ended. */
  goOn(number: number): readonly string[];
  look(number: number): Promise<WorkState>;
  /** Returns whether another fault is allowed after the earlier ones. */
  mayInject(fault: OutsideFault, before: readonly OutsideFault[]): boolean;
  /** Lists what is wrong with it except for its cells, once it and its farm have ended. */
  flaws(number: number, exitCode: number | null): Promise<readonly Flaw[]>;
  /** Everything that `flaws` looks for, to report 0 as well. */
  readonly looksFor: readonly string[];
}

export interface WorkState {
  /** Null while none is stored or a fault keeps it from being read. */
  readonly record: RunRecord | null;
  readonly ended: boolean;
}

export interface Flaw {
  /** One of what is looked for. */
  readonly kind: string;
  readonly sentence: string;
}

/** The arguments of both kinds of work. */
export interface WorkOrder {
  readonly pages: string;
  readonly database: string;
  readonly devices: readonly string[];
  readonly blocks: number;
  readonly measurement: MeasurementName | undefined;
  readonly seed: number;
}

function measuringArguments({ pages, database, ...order }: WorkOrder): readonly string[] {
  return [
    ...['--suite', 'faults', '--pages', pages, '--database', database],
    ...['--device', order.devices.join(','), '--trials', String(order.blocks), '--deadline', '4'],
    ...['--no-repeat', '--json', '--measurement', order.measurement ?? 'standard'],
  ];
}

const kinds = {
  ledger: 'nights whose ledger is not whole',
  anew: 'nights begun anew instead of gone on with',
  report: 'nights without report or JUnit XML',
  red: 'red nights',
  exitCode: 'nights that ended otherwise than they say',
  runs: 'runs of nights without an end',
  places: 'locks and profiles left',
} as const;

type Kind = keyof typeof kinds;

/** `farm nightly`, started again after each death with the same arguments, as systemd does. */
export class NightWork implements Work {
  readonly noun = 'night';
  readonly again = `${npxCrossfarm} nightly once more`;
  readonly looksFor: readonly string[] = Object.values(kinds);
  readonly #order: WorkOrder;
  readonly #sessions: string;

  constructor(order: WorkOrder, sessions: string) {
    this.#order = order;
    this.#sessions = sessions;
  }

  begin(): readonly string[] {
    // Without copies of builds, which are larger than the small disk.
    return ['nightly', ...measuringArguments(this.#order), '--keep-builds', '1'];
  }

  goOn(): readonly string[] {
    return this.begin();
  }

  async look(number: number): Promise<WorkState> {
    const document = await this.#read(number);
    const run = document?.run ?? null;
    return {
      record: run === null ? null : await readStored(this.#order.database, run),
      ended: document !== null && document.finishedAt !== null,
    };
  }

  /**
   * A night continues after at most three deaths; and each time that the disk is full it waits
   * longer, finally half an hour.
   */
  mayInject(fault: OutsideFault, before: readonly OutsideFault[]): boolean {
    const times = (faults: readonly OutsideFault[]): number =>
      before.filter((one) => faults.includes(one)).length;
    if (fault === 'disk full') return times([fault]) === 0;
    return !deadly.includes(fault) || times(deadly) < mostContinuations;
  }

  async flaws(number: number, exitCode: number | null): Promise<readonly Flaw[]> {
    const nights = (await this.#names()).length;
    const document = await this.#read(number);
    const { record } = await this.look(number);
    const flaws: Flaw[] = [
      ...(nights === number ? [] : [flaw('anew', `there are ${String(nights)} folders`)]),
      ...(await this.#unfinishedRuns(number)),
      ...(await this.#placesLeft()),
      ...(document === null ? [] : wrongWith(document, record, exitCode)),
    ];
    return flaws.map(({ kind, sentence }) => ({
      kind,
      sentence: `night ${String(number)}: ${kind}: ${sentence}`,
    }));
  }

  /** Reads it from the disk; null if it does not exist, or has another form than documented. */
  async #read(number: number): Promise<NightDocument | null> {
    const name = (await this.#names())[number - 1];
    if (name === undefined) return null;
    const path = join(nightsFolder(this.#order.database), name, 'night.json');
    try {
      return nightDeclaration.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return null;
    }
  }

  /** The folders of nights, in the order of their beginnings. */
  async #names(): Promise<readonly string[]> {
    return (await readdir(nightsFolder(this.#order.database)).catch(() => [])).sort();
  }

  /** Checks that each night has one run, which ends. */
  async #unfinishedRuns(nights: number): Promise<readonly Flaw[]> {
    const store = await openStore(this.#order.database);
    const runs = await store.listRuns().finally(() => store.close());
    const open = runs.filter(({ status }) => status !== 'finished').map(({ id }) => id);
    const sentence = `of ${String(runs.length)} runs in ${String(nights)} nights not finished: ${open.join(', ')}`;
    return runs.length === nights && open.length === 0 ? [] : [flaw('runs', sentence)];
  }

  async #placesLeft(): Promise<readonly Flaw[]> {
    const { database } = this.#order;
    const locks = (await readdir(dirname(database))).filter((name) =>
      name.startsWith(`${basename(database)}.night-`),
    );
    const left = [...locks, ...(await readdir(this.#sessions))];
    return left.map((name) => flaw('places', name));
  }
}

const deadly: readonly OutsideFault[] = ['farm killed -9', 'everything killed'];

function wrongWith(
  { ledger, status, reasons, files, exitCode: said }: NightDocument,
  record: RunRecord | null,
  exitCode: number | null,
): readonly Flaw[] {
  const because = reasons.map(({ text }) => text).join('; ');
  const missing = [files.report, files.junit].filter((path) => path === null || !existsSync(path));
  return [
    ...(isWhole(ledger, record) ? [] : [flaw('ledger', JSON.stringify(ledger))]),
    ...(missing.length === 0 ? [] : [flaw('report', because)]),
    ...(status === 'red' ? [flaw('red', because)] : []),
    ...(exitCode === said
      ? []
      : [flaw('exitCode', `${String(said)} is written, it was ${String(exitCode)}`)]),
  ];
}

/** Returns whether the night counted what is stored, and each cell has an outcome. */
function isWhole(ledger: NightDocument['ledger'], record: RunRecord | null): boolean {
  if (ledger === null || record === null) return false;
  const { planned, completed, failed, timedOut, skipped, withoutOutcome } = ledger;
  const outcomes = completed + failed + timedOut + skipped;
  return withoutOutcome === 0 && outcomes === planned && planned === record.jobs.length;
}

function flaw(kind: Kind, sentence: string): Flaw {
  return { kind: kinds[kind], sentence };
}
