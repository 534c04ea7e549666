import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FindingsReading } from '../../core/app/extensions.ts';
import { makeOwnFolder, writeWholeFile } from '../../core/own-path.ts';
import {
  bisectionFacts,
  type BisectedRow,
  type BisectionFacts,
} from '../../core/results/bisection.ts';
import type { Findings } from '../../core/results/index.ts';
import type { Commit } from './commits.ts';
import {
  blocksIn,
  type ComparedCommits,
  type ComparedRow,
  isDifferent,
  type CommitBisection,
} from './comparison.ts';

/** The run whose report shows a bisection: that in which the commit stands beside its parent. */
export function reportedRun({ changes, ends }: CommitBisection): number | null {
  return changes[0]?.check.run ?? ends?.run ?? null;
}

/** Keeps what a bisection found beside the database, for the report of its run. */
export async function keepAnswer(
  bisection: CommitBisection,
  {
    database,
    command,
    margin,
  }: { readonly database: string; readonly command: string; readonly margin: number },
): Promise<void> {
  const run = reportedRun(bisection);
  const facts = run === null ? null : factsOf(bisection, { command, margin });
  if (run === null || facts === null) return;
  const path = pathOf(database, run);
  await makeOwnFolder(dirname(path));
  await writeWholeFile(path, JSON.stringify(facts));
}

/** Adds the bisection that a run belongs to. */
export async function addFindings({
  record,
  database,
}: FindingsReading): Promise<Partial<Findings>> {
  const text = await readFile(pathOf(database, record.run.id), 'utf8').catch(() => null);
  if (text === null) return {};
  const facts = parseFacts(text);
  // Another run has its number since: of a database that was removed.
  const isIts = facts?.steps.some(
    ({ run, command }) => run === record.run.id && command === record.run.command,
  );
  return facts === null || isIts !== true ? {} : { bisection: facts };
}

function pathOf(database: string, run: number): string {
  return join(dirname(database), 'bisections', 'answers', `run-${String(run)}.json`);
}

/** Null where it cannot be read: then the report is that of the run alone. */
function parseFacts(text: string): BisectionFacts | null {
  try {
    return bisectionFacts.parse(JSON.parse(text)) as BisectionFacts;
  } catch {
    return null;
  }
}

function factsOf(
  { outcome, commits, changes, steps }: CommitBisection,
  { command, margin }: { readonly command: string; readonly margin: number },
): BisectionFacts | null {
  const placeOf = (wanted: string): number | null => {
    const at = commits.findIndex(({ name }) => name === wanted);
    return at < 0 ? null : at;
  };
  const described = ({ name, subject, author }: Commit): BisectionFacts['good'] => ({
    name,
    subject,
    author,
    place: placeOf(name),
  });
  const [good, bad] = [commits[0], commits.at(-1)];
  if (good === undefined || bad === undefined) return null;
  return {
    outcome,
    good: described(good),
    bad: described(bad),
    commits: commits.length,
    margin,
    changes: changes.map(({ commit, before, skipped, mergedBy, isVerified, check }) => ({
      commit: described(commit),
      before: described(before),
      skipped: skipped.map((one) => ({ name: one.commit.name, why: one.why.split('\n')[0] ?? '' })),
      mergedBy: mergedBy && described(mergedBy),
      isVerified,
      rows: check.rows.map(rowFacts),
    })),
    steps: steps.map((step) => stepFacts(step, placeOf)),
    command,
  };
}

function stepFacts(
  step: ComparedCommits,
  placeOf: (name: string) => number | null,
): BisectionFacts['steps'][number] {
  const { purpose, commits, between, unusable, rows, ms, run, command } = step;
  const [first, last] = purpose === 'search' ? (between ?? []) : commits;
  const isOpen = commits.indexOf(first ?? '') >= 0 && purpose !== 'check';
  const places = [first, last].map((name) => placeOf(name ?? ''));
  return {
    purpose,
    // Of a check what lies around the two comes after them.
    commits: (purpose === 'search' ? commits : commits.slice(0, 2)).map((name, index) => ({
      name,
      place: placeOf(name),
      standing: name in unusable ? 'unusable' : standingOf(index, step),
    })),
    between: isOpen && !places.includes(null) ? places.flatMap((place) => place ?? []) : null,
    rows:
      purpose === 'search'
        ? []
        : rows
            .filter(({ version, against }) => version === commits[1] && against === commits[0])
            .map(rowFacts),
    blocks: blocksIn(step),
    ms,
    run,
    command,
  };
}

function standingOf(
  index: number,
  { purpose, commits, between, rows }: ComparedCommits,
): 'good' | 'bad' | 'unknown' {
  if (purpose !== 'search') {
    if (index === 0) return 'good';
    if (rows.some(isDifferent)) return 'bad';
    return rows.every(({ verdict }) => verdict === 'equivalent') ? 'good' : 'unknown';
  }
  if (between === null) return 'unknown';
  const [first, last] = between.map((name) => commits.indexOf(name));
  if (index <= (first ?? -1)) return 'good';
  return index >= (last ?? commits.length) ? 'bad' : 'unknown';
}

function rowFacts({ browser, title, unit, verdict, ratio, low, high }: ComparedRow): BisectedRow {
  return { browser, title, unit, verdict, ratio, low, high };
}
