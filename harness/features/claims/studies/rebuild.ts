import type { FoundDevice } from '../../../core/model/device.ts';
import type {
  RebuiltCell,
  RebuiltFailure,
  RebuiltGroup,
  RebuiltTable,
} from '../../../core/results/index.ts';
import type { Case, Parameters } from '../../../core/model/case.ts';
import type { Quantity } from '../../../core/model/question.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import {
  type CompletedTrial,
  isCompleted,
  withoutQuarantined,
} from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { Product } from '../judging/claim.ts';
import { measureLevel, measureRatio } from '../judging/judge.ts';
import { deviceFor, devicesFor } from '../judging/products.ts';
import { chooseReader } from '../judging/quantity.ts';

/**
 * The tables of a published study, as data: `rebuildTables` rebuilds them from a run. They
 * decide nothing; claims do.
 */
export interface Study {
  /** The section of the claims: A1, B, B4, C … Its first letter is that of the study. */
  readonly section: string;
  readonly title: string;
  readonly source: string;
  readonly benchmark: string;
  /** A case that only a run about the study has, if other runs have its other cases. */
  readonly onlyWith?: Parameters;
  /** A case that only a run of single calls has, where the table is of work that has settled. */
  readonly notWith?: Parameters;
  readonly columns: readonly string[];
  readonly groups: readonly StudyGroup[];
  /** Sentences about the comparison of the two. */
  readonly note: string;
}

/** A group of rows: the published one, and then one for each of our devices. */
export interface StudyGroup {
  readonly label: string;
  /** The unit of the published numbers and of ours; `×` for ratios. */
  readonly unit: string;
  /** One for each column, as printed in the source; null without one. */
  readonly published: readonly (string | null)[];
  /** The products whose devices have a row. */
  readonly products: readonly Product[];
  /** Our cell in each column; null for none. */
  readonly cells: readonly (StudyCell | null)[];
}

export interface StudyCell {
  readonly quantity: Quantity;
  /** Parameters that are left out have their defaults. */
  readonly parameters: Parameters;
  /** Makes the cell a ratio: the quantity over that of the same benchmark with these parameters. */
  readonly over?: Parameters;
  /**
   * Makes the cell a ratio: over the first device that can stand for this one, in the same block.
   */
  readonly against?: Product;
  /** Converts ours to the group's unit. */
  readonly factor?: number;
}

/**
 * Rebuilds the tables of the studies that a run has numbers for, ours next to the published ones. A
 * level is the median over trials with bounds that hold at every look, a ratio the typical one over
 * blocks (`judge.ts`). Pure.
 */
export function rebuildTables(
  record: RunRecord,
  studies: readonly Study[],
): readonly RebuiltTable[] {
  return studies.flatMap((study) => {
    const all = record.trials.filter(({ job }) => job.case.benchmark.id === study.benchmark);
    const ours = withoutQuarantined(all).filter(isCompleted);
    if (ours.length === 0 || !isAbout(study, record)) return [];
    const of = { ...record, trials: all };
    const groups = study.groups.map((group) => rebuildGroup(group, ours, of));
    if (groups.every(({ rows }) => rows.length === 0)) return [];
    const { section, title, source, columns, note } = study;
    return [{ section, title, source, columns, note, groups }];
  });
}

/** Returns whether a run is about a study: a first look has some of its cases as well. */
function isAbout({ benchmark, onlyWith, notWith }: Study, { jobs }: RunRecord): boolean {
  const has = (wanted: Parameters): boolean =>
    jobs.some(({ case: one }) => one.benchmark.id === benchmark && fits(one, wanted));
  return (onlyWith === undefined || has(onlyWith)) && (notWith === undefined || !has(notWith));
}

function rebuildGroup(
  { label, unit, published, products, cells }: StudyGroup,
  trials: readonly CompletedTrial[],
  { presences, trials: all }: RunRecord,
): RebuiltGroup {
  const devices: readonly FoundDevice[] = products.flatMap((product) =>
    devicesFor(product, presences),
  );
  const trialsOf = (id: string | undefined): readonly CompletedTrial[] =>
    trials.filter(({ job }) => job.deviceId === id);
  const rows = devices.map(({ device }) => {
    const own = trialsOf(device.id);
    return {
      targetId: device.id,
      cells: cells.map((cell) => {
        if (cell === null) return null;
        const { against } = cell;
        const others =
          against === undefined ? own : trialsOf(deviceFor(against, presences)?.device.id);
        return measureCell(cell, own, others) ?? failureOf(cell, device.id, all);
      }),
    };
  });
  return {
    label,
    unit,
    published,
    rows: rows.filter((row) => row.cells.some((cell) => cell !== null)),
  };
}

function measureCell(
  { quantity, parameters, over, against, factor = 1 }: StudyCell,
  trials: readonly CompletedTrial[],
  otherTrials: readonly CompletedTrial[],
): RebuiltCell | null {
  const values = valuesByBlock(trials, { parameters, quantity });
  if (over === undefined && against === undefined) {
    const levels = [...values.values()].map((value) => value * factor);
    const measured = measureLevel(levels, defaultAlpha);
    return measured && { ...measured, trials: levels.length };
  }
  const others = valuesByBlock(otherTrials, { parameters: over ?? parameters, quantity });
  const ratios = [...values].flatMap(([block, value]) => {
    const other = others.get(block);
    return other === undefined ? [] : [Math.log(value) - Math.log(other)];
  });
  const measured = measureRatio(ratios, defaultAlpha);
  return measured && { ...measured, trials: ratios.length };
}

/** How the trials of a cell failed, if some did and none completed; null otherwise. */
function failureOf(
  { parameters, over, against }: StudyCell,
  deviceId: string,
  all: readonly Trial[],
): RebuiltFailure | null {
  if (over !== undefined || against !== undefined) return null;
  const own = all.filter(({ job }) => job.deviceId === deviceId && fits(job.case, parameters));
  const failures = own.flatMap(({ outcome }) =>
    outcome.kind === 'failed' || outcome.kind === 'timed-out' ? [outcome.failure.message] : [],
  );
  if (failures.length === 0 || own.some(isCompleted)) return null;
  const isMemory = failures.every((message) => /out of memory/i.test(message));
  return { failed: isMemory ? 'out of memory' : 'failed', trials: failures.length };
}

function valuesByBlock(
  trials: readonly CompletedTrial[],
  { parameters, quantity }: Pick<StudyCell, 'parameters' | 'quantity'>,
): ReadonlyMap<number, number> {
  const fitting = trials.filter(({ job }) => fits(job.case, parameters));
  return new Map(
    fitting
      .toSorted((a, b) => a.job.block - b.job.block)
      .flatMap((trial) => {
        const value = chooseReader(quantity, trial.job).read(trial);
        return value === null ? [] : [[trial.job.block, value] as const];
      }),
  );
}

/** Returns whether a case has exactly these parameters; missing ones have their defaults. */
export function fits({ benchmark, parameters }: Case, wanted: Parameters): boolean {
  return benchmark.parameters.every(
    ({ name, default: usual }) => parameters[name] === (wanted[name] ?? usual),
  );
}
