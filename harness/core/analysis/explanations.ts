import { mean, median, sum } from 'simple-statistics';
import { caseName } from '../model/case.ts';
import {
  explainedParts,
  type LongFrame,
  readExplanation,
  type StoredExplanation,
} from '../model/explanation.ts';
import type { Trial } from '../model/trial.ts';
import type {
  ExplainedMeasure,
  ExplainedPartChange,
  FrameEvidence,
  MeasureEvidence,
  ScriptEvidence,
} from '../results/explanations.ts';
import { groupBy } from './grouping.ts';
import { indexPairs, type Pair, type Side } from './pairs.ts';
import { type CompletedTrial, findResolution, isCompleted, withoutQuarantined } from './series.ts';
import { findChangedParts, type PartSeries } from './stats/changed-parts.ts';
import { smallestBlocks } from './stats/mixture-test.ts';
import { defaultAlpha } from './stats/verdict.ts';

/** A trial of a version with its explanation. */
interface ExplainedTrial {
  readonly trial: CompletedTrial;
  readonly told: StoredExplanation;
}

/** The explained trials of both versions of a pair. */
interface ExplainedSides {
  readonly pair: Pair;
  readonly before: readonly ExplainedTrial[];
  readonly after: readonly ExplainedTrial[];
}

/** A part of a pair's measure in each block in common. */
interface PartOfPair extends PartSeries {
  readonly sides: ExplainedSides;
  readonly part: (typeof explainedParts)[number];
}

/**
 * Explains the measures of pairs by what the browsers told in the trials that decided about them.
 * The parts of all pairs together are selected as `findChangedParts` says.
 *
 * @param trials as they are judged
 * @returns one for each pair of which a browser told anything
 */
export function explainMeasures(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  alpha = defaultAlpha,
): readonly ExplainedMeasure[] {
  const trialsOf = indexPairs(trials);
  const explained = pairs
    .map((pair) => explainSides(trialsOf(pair), pair))
    .filter(({ before, after }) => before.length + after.length > 0);
  const changed = findChangedParts(explained.flatMap(listParts), alpha);
  const fewestBlocks = smallestBlocks(alpha / Math.max(1, changed.length));
  return explained.map((sides) => {
    const { pair, before, after } = sides;
    const parts = changed.filter((one) => one.sides === sides);
    return {
      targetId: pair.a.deviceId,
      caseName: caseName(pair.a.case),
      against: caseName(pair.b.case),
      metric: pair.metric.id,
      parts: parts.map(describePart),
      blocks: parts[0]?.after.length ?? 0,
      fewestBlocks,
      before: findEvidence(before),
      after: findEvidence(after),
      lacks: listLacks([...before, ...after]),
    };
  });
}

function explainSides(trials: readonly Trial[], pair: Pair): ExplainedSides {
  const counted = withoutQuarantined(trials).filter(isCompleted);
  const explain = (side: Side): readonly ExplainedTrial[] =>
    counted.filter(isOf(side)).flatMap((trial) => {
      const told = readExplanation(trial.outcome.readings, pair.metric.id);
      return told === null ? [] : [{ trial, told }];
    });
  return { pair, before: explain(pair.b), after: explain(pair.a) };
}

function isOf({ deviceId, case: one }: Side): (trial: Trial) => boolean {
  const name = caseName(one);
  return ({ job }) => job.deviceId === deviceId && caseName(job.case) === name;
}

/** Lists the parts of a pair in the blocks in common, without those that are always 0. */
function listParts(sides: ExplainedSides): readonly PartOfPair[] {
  const [before, after] = [indexBlocks(sides.before), indexBlocks(sides.after)];
  const blocks = [...before.keys()].filter((block) => after.has(block)).sort((a, b) => a - b);
  const inBlocks = (side: typeof before, name: PartOfPair['part']['name']): readonly number[] =>
    blocks.map((block) => side.get(block)?.told.parts.get(name) ?? 0);
  const [first] = blocks;
  if (first === undefined) return [];
  // Both versions alike: their order in the block is as good as drawn.
  const scaleMs = mean([before, after].map((side) => wholeOf(side.get(first))));
  if (!(scaleMs > 0)) return [];
  const resolutionMs = sum(
    [before, after].map((side) => resolutionOf(side.get(first), sides.pair)),
  );
  return explainedParts.flatMap((part) => {
    const series = { before: inBlocks(before, part.name), after: inBlocks(after, part.name) };
    const isThere = [...series.before, ...series.after].some((ms) => ms > 0);
    return isThere ? [{ sides, part, ...series, scaleMs, resolutionMs }] : [];
  });
}

function indexBlocks(side: readonly ExplainedTrial[]): ReadonlyMap<number, ExplainedTrial> {
  const withParts = side.filter(({ told }) => told.parts.size > 0);
  return new Map(withParts.map((one) => [one.trial.job.block, one]));
}

function wholeOf(one: ExplainedTrial | undefined): number {
  return sum([0, ...(one?.told.parts.values() ?? [])]);
}

function resolutionOf(one: ExplainedTrial | undefined, { metric }: Pair): number {
  return one === undefined ? 0 : findResolution(one.trial.outcome.result, metric);
}

function describePart(
  one: ReturnType<typeof findChangedParts<PartOfPair>>[number],
): ExplainedPartChange {
  const { part, changeMs, low, high, isSettled } = one;
  const beforeMs = median([...one.before]);
  const afterMs = Math.max(0, beforeMs + changeMs);
  return { ...part, beforeMs, afterMs, changeMs, low, high, isSettled };
}

function findEvidence(side: readonly ExplainedTrial[]): MeasureEvidence {
  const told = side.map((one) => one.told);
  return {
    element: findMostFrequent(told.map((one) => one.element)),
    resource: findMostFrequent(told.map((one) => one.resource)),
    event: findMostFrequent(told.map((one) => one.event)),
    frame: summarizeFrames(
      told.flatMap(({ frame }) => frame ?? []),
      told.length,
    ),
  };
}

function findMostFrequent(texts: readonly (string | null)[]): string | null {
  const groups = [...groupBy(texts, (text) => text).values()];
  return groups.toSorted((one, other) => other.length - one.length)[0]?.[0] ?? null;
}

const mostScripts = 3;

function summarizeFrames(frames: readonly LongFrame[], of: number): FrameEvidence | null {
  if (frames.length === 0) return null;
  const scripts = groupBy(
    frames.flatMap((frame) => frame.scripts),
    ({ name, invoker }) => JSON.stringify([name, invoker]),
  );
  return {
    ms: median(frames.map(({ ms }) => ms)),
    blockedMs: median(frames.map(({ blockedMs }) => blockedMs)),
    trials: frames.length,
    of,
    scripts: [...scripts.values()]
      .toSorted((one, other) => sum(other.map(({ ms }) => ms)) - sum(one.map(({ ms }) => ms)))
      .slice(0, mostScripts)
      .flatMap(describeScript),
  };
}

function describeScript(runs: LongFrame['scripts']): readonly ScriptEvidence[] {
  const [first] = runs;
  if (first === undefined) return [];
  const { name, invoker } = first;
  const [ms, layoutMs] = [
    median(runs.map((one) => one.ms)),
    median(runs.map((one) => one.layoutMs)),
  ];
  return [{ name, invoker, ms, layoutMs, trials: runs.length }];
}

function listLacks(side: readonly ExplainedTrial[]): readonly string[] {
  const sentences = side.flatMap(({ told: { lacks, lacksFrame } }) => [
    ...(lacks === null ? [] : [`its parts are not known: ${lacks}`]),
    ...(lacksFrame === null ? [] : [`long frames are not supported here, because ${lacksFrame}`]),
  ]);
  return [...new Set(sentences)];
}
