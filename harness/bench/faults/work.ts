import type { RunRecord } from '../../model/run.ts';
import type { OutsideFault } from './injections.ts';

/** What a farm under fire has to bring to its end, again and again: a run, or a night. */
export interface Work {
  /** What one is called, and what goes on with one, in what is told. */
  readonly noun: 'run' | 'night';
  readonly again: string;
  /** Arguments of the farm that begins the one of this number, counted from 1. */
  begin(number: number): readonly string[];
  /** Arguments of the farm that goes on with it when the one before has ended. */
  goOn(number: number): readonly string[];
  look(number: number): Promise<Standing>;
  /** Whether another fault is fair, after those that it has had. */
  mayInject(fault: OutsideFault, before: readonly OutsideFault[]): boolean;
  /** What is wrong with it beside its cells, once it and its farm have ended. */
  flaws(number: number, exitCode: number | null): Promise<readonly Flaw[]>;
  /** Everything that `flaws` looks for; 0 of it is a figure, too. */
  readonly looksFor: readonly string[];
}

export interface Standing {
  /** Null as long as none is stored, and while a fault keeps it from being read. */
  readonly record: RunRecord | null;
  readonly ended: boolean;
}

export interface Flaw {
  /** One of what is looked for. */
  readonly kind: string;
  readonly sentence: string;
}

/** What the farm is given for either. */
export interface WorkOrder {
  readonly pages: string;
  readonly database: string;
  readonly devices: readonly string[];
  readonly blocks: number;
  readonly seed: number;
}

export function measuringArguments({ pages, database, ...order }: WorkOrder): readonly string[] {
  return [
    ...['--suite', 'faults', '--pages', pages, '--database', database],
    ...['--device', order.devices.join(','), '--trials', String(order.blocks), '--deadline', '4'],
    ...['--no-repeat', '--json'],
  ];
}
