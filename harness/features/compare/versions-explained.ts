/** How browsers explain the measures of versions, for terminal, Markdown and JSON. */
import pc from 'picocolors';
import {
  adviseMoreBlocks,
  countLackingBlocks,
  describeEvidence,
  describePartChange,
  describePartLevels,
  isNotable,
} from '../../../reports/wording/explained.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import { explainMeasures } from '../../core/analysis/explanations.ts';
import { readVersion, titlePair } from '../../core/analysis/run-pairs.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import { codeSpan, escapedMarkdown } from '../../core/cli/text/markdown.ts';
import { caseName } from '../../core/model/case.ts';
import type { ExplainedMeasure } from '../../core/results/explanations.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import type { VersionsComparison } from './compare-versions.ts';
import { browserOf } from './look-text.ts';

/** A table with the trials that it decides, as they were measured. */
type DecidedTrials = Pick<VersionsComparison, 'entries' | 'trials' | 'alpha'>;

/** Finds the explanations of a comparison, by entry. */
export function explainEntries({
  entries,
  trials,
  alpha,
}: DecidedTrials): ReadonlyMap<TableEntry, ExplainedMeasure> {
  const pairs = entries.map(({ pair }) => pair);
  const all = explainMeasures(countingDisturbed(trials), pairs, alpha);
  const found = entries.flatMap((entry) => {
    const { a, metric } = entry.pair;
    const name = caseName(a.case);
    const one = all.find(
      ({ targetId, caseName: of, metric: id }) =>
        targetId === a.deviceId && of === name && id === metric.id,
    );
    return one === undefined ? [] : [[entry, one] as const];
  });
  return new Map(found);
}

/** The explanations that a reader asks for: of what differs. */
function listNotable(shown: DecidedTrials): readonly (readonly [TableEntry, ExplainedMeasure])[] {
  return [...explainEntries(shown)].filter(([{ decision }, one]) =>
    isNotable(one, decision.kind === 'decided-on' ? decision.decision.verdict : undefined),
  );
}

/** The entries that differ, and have too few blocks for any part of them to be settled. */
export function listUnexplained(decided: DecidedTrials): readonly TableEntry[] {
  return listNotable(decided).flatMap(([entry, one]) => (countLackingBlocks(one) > 0 ? entry : []));
}

/** Below the table: the parts of each measure that differs, and what the browser tells of it. */
export function describeExplained(shown: VersionsComparison): readonly string[] {
  return listNotable(shown).flatMap(([{ pair }, one]) => {
    const title = `${titlePair(pair)} of ${readVersion(pair.a)} in ${browserOf(shown, pair.a.deviceId)}`;
    const advice = adviseMoreBlocks(one, shown.run);
    const cells = one.parts.map((part) => [part.title, describePartChange(part)] as const);
    const widths = [0, 1].map((place) =>
      Math.max(0, ...cells.map((row) => row[place]?.length ?? 0)),
    );
    return [
      pc.bold(plain(title)),
      ...one.parts.map((part, index) => {
        const words = (cells[index] ?? []).map((cell, place) => cell.padEnd(widths[place] ?? 0));
        return `  ${words.join('  ')}  ${pc.dim(describePartLevels(part))}`;
      }),
      ...describeEvidence(one, plain).map((line) => `  ${line}`),
      ...one.lacks.map((line) => pc.dim(`  ${plain(line)}`)),
      ...(advice === null ? [] : [pc.dim(`  ${advice.sentence} ${advice.command}`)]),
    ];
  });
}

/** The same in one line for each measure that differs. */
export function explainedMarkdown(shown: VersionsComparison): readonly string[] {
  return listNotable(shown).flatMap(([{ pair }, one]) => {
    const settled = one.parts.filter(({ isSettled }) => isSettled);
    const parts = settled.map((part) => `${part.title} ${describePartChange(part)}`);
    const told = [...parts, ...describeEvidence(one, codeSpan)];
    if (told.length === 0) return [];
    const title = `${titlePair(pair)} of ${readVersion(pair.a)} in ${browserOf(shown, pair.a.deviceId)}`;
    return [`${escapedMarkdown(title)}: ${told.join('; ')}`, ''];
  });
}

/** The shape of an explanation in `--json`: all of it, settled or not. */
export function explainedJson(one: ExplainedMeasure | undefined): object {
  if (one === undefined) return {};
  const { parts, blocks, fewestBlocks, before, after, lacks } = one;
  return { explained: { parts, blocks, fewestBlocks, before, after, notSupported: lacks } };
}
