import { isDeepStrictEqual } from 'node:util';
import { decidePair } from '../../core/analysis/decide.ts';
import { type Pair, runCircumstances } from '../../core/analysis/pairs.ts';
import { comparisonSuite } from '../../core/analysis/run-pairs.ts';
import type { Presence } from '../../core/model/device.ts';
import {
  isSameMachine,
  type Machine,
  type RunRecord,
  type RunSetting,
  type SeriesTest,
} from '../../core/model/run.ts';
import { isOfDeadFarm } from '../../core/session/farm-mark.ts';
import type { UnfinishedRun } from '../../core/app/run/continue-run.ts';
import { withStore } from '../../core/app/records.ts';

/** The question of a night about two builds, and how it would measure them. */
export interface AskedTest {
  readonly question: Omit<SeriesTest, 'alpha'>;
  readonly pair: Pair;
  /** After, before: each under the name that it has in the comparison. */
  readonly presences: readonly Presence[];
  readonly measured: Pick<RunSetting, 'measurement' | 'pages' | 'deadlineMs' | 'probes'>;
  readonly machine: Machine;
  readonly farmVersion: string;
}

/** Evidence of an earlier night on the same question. */
export interface CarriedEvidence {
  readonly run: number;
  readonly startedAt: string;
  readonly blocks: number;
  /** The level at which the test began; it ends at the same. */
  readonly alpha: number;
}

/**
 * The test of a run of that series that was measured by the same rules; null for any other. Pure; takes
 * nothing of the run itself.
 */
export function sameTest(
  { test, measurement, pages, deadlineMs, probes }: RunSetting,
  { question, measured }: Pick<AskedTest, 'question' | 'measured'>,
): SeriesTest | null {
  if (test === undefined) return null;
  const isSame = isDeepStrictEqual(
    { ...test, measurement, pages, deadlineMs, probes },
    { ...question, alpha: test.alpha, ...measured },
  );
  return isSame ? test : null;
}

/**
 * True if blocks of tonight and those of the run belong to one test: the same builds, version of
 * the benchmark, machine and version of the farm. A test may not be chosen after its blocks were
 * seen. Pure.
 */
export function hasTheSameSides(
  { run, jobs, presences }: RunRecord,
  asked: Pick<AskedTest, 'pair' | 'presences' | 'machine' | 'farmVersion'>,
): boolean {
  const { benchmark } = asked.pair.a.case;
  return (
    run.farmVersion === asked.farmVersion &&
    isSameMachine(run.machine, asked.machine) &&
    jobs.every((job) => job.case.benchmark.version === benchmark.version) &&
    isDeepStrictEqual(presences.map(buildOf), asked.presences.map(buildOf))
  );
}

/** The command that starts: a kept copy starts in another way than the build that it was made from. */
function buildOf(presence: Presence): unknown {
  if (presence.status === 'missing') return null;
  // The store leaves out undefined members.
  return JSON.parse(JSON.stringify(presence.target));
}

/**
 * The evidence of a run of the same test; null when it is decided, as that stays, and when more blocks
 * cannot help: two that have no ratio, or no constant one. Pure.
 */
export function undecidedEvidence(
  { run, jobs, trials, presences }: RunRecord,
  { margin, alpha }: SeriesTest,
  pair: Pair,
): CarriedEvidence | null {
  const rules = { margin, alpha, ...runCircumstances({ jobs, presences }) };
  const decided = decidePair(trials, pair, rules);
  if (decided.kind !== 'decided-on') return null;
  const { verdict, because, blocks } = decided.decision;
  if (verdict !== 'undecided' || because === 'no-constant-ratio') return null;
  return { run: run.id, startedAt: run.startedAt, blocks, alpha };
}

/** The end of a sentence about a re-measurement; empty where it began tonight. */
export function describeCarried(carried: CarriedEvidence | undefined): string {
  if (carried === undefined) return '';
  const { blocks, run, startedAt } = carried;
  const what = blocks === 1 ? '1 block' : `${String(blocks)} blocks`;
  return `; the evidence of ${what} from before counts: run ${String(run)}, begun in the night of ${startedAt.slice(0, 10)}`;
}

/** A run of an earlier night to continue. */
export interface StoredTest extends UnfinishedRun {
  readonly carried: CarriedEvidence;
}

/**
 * The newest run of the same test, if it is undecided and not in progress; else null. A
 * setting is read before its run, which has many trials.
 */
export async function findStoredTest(
  asked: AskedTest,
  database: string,
): Promise<StoredTest | null> {
  return withStore(database, async (store) => {
    for (const { id, suite } of await store.listRuns()) {
      const stored = suite === comparisonSuite ? await store.readSetting(id) : null;
      const test = stored === null ? null : sameTest(stored.document, asked);
      const record = test === null ? null : await store.readRun(id);
      if (stored === null || test === null || record === null) continue;
      if (!hasTheSameSides(record, asked)) continue;
      const isFree = record.run.status !== 'running' || isOfDeadFarm(stored.farm);
      const carried = isFree ? undecidedEvidence(record, test, asked.pair) : null;
      return carried === null ? null : { record, stored, carried };
    }
    return null;
  });
}
