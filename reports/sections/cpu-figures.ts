import type { Findings } from '../../harness/results/index.ts';
import { countBytes, type Html } from '../html/escape.ts';
import { bytesOfData, weighData, type DataWeight, type Page } from '../html/page.ts';
import { caseDetails } from './case-details.ts';
import { cpuCases, type CpuCase } from './cpu-case.ts';
import { courseData, cpuData } from './data.ts';
import { rowsByDistance } from '../wording/difference.ts';
import type { Legend } from '../wording/legend.ts';

/** Most bytes of a report with its figures: 2 MB minus the stylesheet, the script and a reserve. */
const mostBytes = 1_950_000;

/** Makes the page with the figures that some of the cases have. */
type MakePage = (cases: readonly CpuCase[]) => Page;

/**
 * The page with figures of what each case unfolds to, for as many cases as there is room for, those whose
 * targets differ most first. The others keep their numbers, and the page says so.
 */
export function withFigures(findings: Findings, legend: Legend, make: MakePage): Page {
  const cases = cpuCases(findings);
  if (cases.length === 0) return make(cases);
  const figures = drawWhatFits(mostDifferentFirst(cases, findings), {
    legend,
    without: weigh(make(cases)),
  });
  return make(cases.map((one) => ({ ...one, figure: figures.get(one) ?? null })));
}

function mostDifferentFirst(cases: readonly CpuCase[], { rows }: Findings): readonly CpuCase[] {
  const byName = new Map(cases.map((one) => [one.caseName, one]));
  const ranked = rowsByDistance(rows).flatMap(({ caseName }) => byName.get(caseName) ?? []);
  return [...new Set([...ranked, ...cases])];
}

interface Weight extends DataWeight {
  readonly markup: number;
}

function weigh({ body, data }: Pick<Page, 'body' | 'data'>): Weight {
  return { markup: countBytes(body), ...weighData(data) };
}

function plus(one: Weight, other: Weight): Weight {
  return {
    markup: one.markup + other.markup,
    plain: one.plain + other.plain,
    // Parts that are compressed each for itself are not smaller than all of them together.
    packed: one.packed + other.packed,
  };
}

interface Drawing {
  readonly legend: Legend;
  /** Of the page without any figure. */
  readonly without: Weight;
}

function drawWhatFits(
  cases: readonly CpuCase[],
  { legend, without }: Drawing,
): ReadonlyMap<CpuCase, Html> {
  const figures = new Map<CpuCase, Html>();
  let weight = without;
  for (const one of cases) {
    const figure = caseDetails(one, legend);
    const drawn = [{ ...one, figure }];
    const data = [cpuData(drawn), courseData(drawn)];
    weight = plus(weight, weigh({ body: figure, data }));
    if (weight.markup + bytesOfData(weight) > mostBytes) break;
    figures.set(one, figure);
  }
  return figures;
}
