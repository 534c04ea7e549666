import { join, resolve } from 'node:path';
import type { ReportOption } from '../../core/cli/end-report.ts';
import type { SweepFindings } from '../../core/results/index.ts';
import { farmVersion, reportsFolder } from '../../core/project.ts';
import { writeWhole } from '../../core/app/records.ts';
import type { SweepStep } from '../../core/results/index.ts';
import type { SweepOptions, SweepResult } from './sweep.ts';

export interface SweepReport {
  readonly findings: SweepFindings;
  /** Absolute; null where none was asked for. */
  readonly path: string | null;
}

/** Writes a sweep as one HTML file, unless none is asked for. @throws FarmError `cannot-write` */
export async function writeSweep(
  result: SweepResult,
  { database, margin, report }: Pick<SweepOptions, 'database' | 'margin'> & ReportOption,
): Promise<SweepReport> {
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const findings = describeSweep({ ...result, margin }, writing);
  if (report === false) return { findings, path: null };
  const runs = result.runs.join('-');
  const path = resolve(report ?? join(reportsFolder(database), `sweep-${runs}.html`));
  const { renderSweep } = await import('../../../reports/sweep.ts');
  await writeWhole(path, renderSweep(findings));
  return { findings, path };
}

/** Describes a sweep for its report. */
export function describeSweep(
  result: SweepResult & Pick<SweepOptions, 'margin'>,
  writing: Pick<SweepFindings, 'writtenAt' | 'farmVersion'>,
): SweepFindings {
  const { case: name, metric, points, ...others } = result;
  const short = shortNames(result);
  return {
    ...others,
    ...writing,
    reference: short(result.reference),
    changes: result.changes.map((step) => withNames(step, short)),
    open: result.open.map((step) => withNames(step, short)),
    leftOut: result.leftOut.map(({ build, because }) => ({ build: short(build), because })),
    notMeasured: result.notMeasured.map(short),
    caseName: name,
    metric: metric.title,
    unit: metric.unit,
    points: points.map(({ deviceId: build, ...point }) => ({
      ...point,
      build: short(build),
      version: build.slice(build.lastIndexOf('@') + 1),
    })),
  };
}

/** `chromium@118` for `chromium@118.0.5993.0`, where no two builds of the sweep would get one name. */
function shortNames({ points, notMeasured, leftOut }: SweepResult): (build: string) => string {
  const builds = [
    ...points.map(({ deviceId }) => deviceId),
    ...notMeasured,
    ...leftOut.map(({ build }) => build),
  ];
  const shorten = (build: string): string => build.replace(/(@\d+)\..*$/, '$1');
  const areApart = new Set(builds.map(shorten)).size === new Set(builds).size;
  return areApart ? shorten : (build) => build;
}

function withNames(step: SweepStep, name: (build: string) => string): SweepStep {
  const [before, since] = step.between;
  return { ...step, between: [name(before), name(since)] };
}
