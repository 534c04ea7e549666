import { join, resolve } from 'node:path';
import type { SweepFindings } from '../../../reports/findings/index.ts';
import { farmVersion, reportsFolder } from '../../project.ts';
import { writeWhole } from '../records.ts';
import type { SweepOptions, SweepResult } from './sweep.ts';

export interface SweepReport {
  readonly findings: SweepFindings;
  /** Absolute. */
  readonly path: string;
}

/** Writes a sweep as one HTML file. @throws FarmError `cannot-write` */
export async function writeSweep(
  result: SweepResult,
  { database, margin, out }: Pick<SweepOptions, 'database' | 'margin'> & { readonly out?: string },
): Promise<SweepReport> {
  const { case: name, metric, points, ...others } = result;
  const findings: SweepFindings = {
    ...others,
    caseName: name,
    metric: metric.title,
    unit: metric.unit,
    writtenAt: new Date().toISOString(),
    farmVersion: farmVersion(),
    margin,
    points: points.map(({ deviceId: build, ...point }) => ({
      ...point,
      build,
      version: build.slice(build.lastIndexOf('@') + 1),
    })),
  };
  const runs = result.runs.join('-');
  const path = resolve(out ?? join(reportsFolder(database), `sweep-${runs}.html`));
  const { renderSweep } = await import('../../../reports/sweep.ts');
  await writeWhole(path, await renderSweep(findings));
  return { findings, path };
}
