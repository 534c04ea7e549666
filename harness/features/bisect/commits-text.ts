import pc from 'picocolors';
import { formatThreeDigits, plural } from '../../../reports/html/number.ts';
import { formatDuration } from '../../core/run/progress/time-left.ts';
import type { Commit, CommitRange } from './commits.ts';
import {
  blocksIn,
  type ComparedCommits,
  type ComparedRow,
  isDifferent,
  type CommitBisection,
  type FoundChange,
} from './comparison.ts';

/** One comparison, when it has ended. */
export function describeComparison(step: ComparedCommits): string {
  const { purpose, commits, unusable, rows, command, between } = step;
  const broken = Object.entries(unusable);
  if (broken.length > 0) {
    return broken
      .map(([name, why]) => `${name} is passed over: ${why.split('\n')[0] ?? ''}`)
      .join('\n');
  }
  const [first = '', second = '', last = ''] = [commits[0], commits[1], commits.at(-1)];
  const cost = `${plural(blocksIn(step), 'block')}, ${formatDuration(step.ms)}`;
  const head =
    purpose === 'search'
      ? `${plural(commits.length - 2, 'commit')} between ${first} and ${last}`
      : `${second} against ${first}`;
  const found =
    between === null
      ? describeRows(rows.filter(({ version, against }) => version === second && against === first))
      : `it came after ${between[0]}, with ${between[1]} or before it`;
  const lines = [`${head}: ${found} (${cost})`, ...(command === null ? [] : [`  ${command}`])];
  return lines.join('\n');
}

function describeRows(rows: readonly ComparedRow[]): string {
  const clear = rows.filter(isDifferent);
  if (clear.length === 0) return 'nothing that differs for sure';
  return clear.map((row) => `${row.verdict} ${describeRatio(row)}`).join('; ');
}

function describeRatio({ browser, title, ratio, low, high }: ComparedRow): string {
  if (ratio === null || low === null || high === null) return `(${title}, ${browser})`;
  return `${formatThreeDigits(ratio)}× (${formatThreeDigits(low)} … ${formatThreeDigits(high)}; ${title}, ${browser})`;
}

/** The answer, for a person. */
export function describeCommits(bisection: CommitBisection, { good, bad }: CommitRange): string {
  const { commits, steps, changes, outcome } = bisection;
  const between = `${good} and ${bad}`;
  const answer =
    outcome === 'no-difference'
      ? [`${between} do not differ, in nothing that was measured: there is nothing to look for.`]
      : outcome === 'found'
        ? changes.flatMap(describeChange)
        : describeUndecided(bisection, between);
  const blocks = steps.reduce((sum, step) => sum + blocksIn(step), 0);
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  const cost = `${plural(steps.length, 'comparison')} over ${plural(commits.length - 1, 'commit')}, ${plural(blocks, 'block')}, ${formatDuration(ms)}`;
  return [...answer, '', cost].join('\n');
}

function describeChange(change: FoundChange): readonly string[] {
  const { commit, before, skipped, mergedBy, isVerified, check } = change;
  const names = [...skipped.map((one) => one.commit), commit];
  const head =
    skipped.length === 0
      ? `${pc.bold(commit.name)} ${describeAuthor(commit)}`
      : `one of ${names.map(({ name }) => pc.bold(name)).join(', ')}: what lies between could not be told`;
  const of =
    mergedBy === null
      ? []
      : [`  it came with the merge ${mergedBy.name} ${describeAuthor(mergedBy)}`];
  const why = skipped.map((one) => `  ${one.commit.name}: ${one.why.split('\n')[0] ?? ''}`);
  const clear = check.rows.filter(isDifferent);
  const rows = clear.map((row) => `  ${row.verdict} ${describeRatio(row)} than ${before.name}`);
  const others = [...new Set(check.rows.map(({ browser }) => browser))].filter(
    (browser) => !clear.some((row) => row.browser === browser),
  );
  const none =
    others.length === 0
      ? []
      : [`  not shown in ${others.join(', ')}: ${describeOthers(check.rows, others)}`];
  const doubt = isVerified
    ? []
    : [`  The search led there, but it and ${before.name} do not differ for sure in fresh blocks.`];
  const command = check.command === null ? [] : [`  again: ${check.command}`];
  return [head, ...of, ...why, ...rows, ...none, ...doubt, ...command];
}

function describeOthers(rows: readonly ComparedRow[], browsers: readonly string[]): string {
  const same = browsers.every((browser) =>
    rows.filter((row) => row.browser === browser).every(({ verdict }) => verdict === 'equivalent'),
  );
  return same ? 'equivalent there' : 'undecided there';
}

function describeAuthor({ subject, author }: Commit): string {
  return `“${subject}” (${author})`;
}

function describeUndecided(
  { ends, changes, interrupted }: CommitBisection,
  between: string,
): readonly string[] {
  if (interrupted) return ['Interrupted: the same command goes on where it stopped.'];
  const [change] = changes;
  if (change !== undefined)
    return [
      'Undecided: no commit is shown to have made the difference.',
      ...describeChange(change),
    ];
  const widest = ends?.rows.find(({ verdict }) => verdict === 'undecided');
  const so = widest === undefined ? '' : ` So far: ${describeRatio(widest)}.`;
  return [
    `Undecided: whether ${between} differ is not known, so nothing was looked for.${so} A longer --budget may tell.`,
  ];
}

/** The shape of `crossfarm bisect --json` for commits: a contract with other tools. */
export function commitsJson({
  outcome,
  commits,
  changes,
  steps,
  interrupted,
}: CommitBisection): object {
  const [first] = changes.filter(({ isVerified }) => isVerified);
  return {
    between: first === undefined ? null : [first.before.name, first.commit.name],
    outcome,
    interrupted,
    good: commits[0]?.hash ?? null,
    bad: commits.at(-1)?.hash ?? null,
    commits: commits.length - 1,
    changes: changes.map(({ commit, before, skipped, mergedBy, isVerified, check }) => ({
      commit,
      before: before.hash,
      skipped: skipped.map((one) => ({ commit: one.commit.hash, why: one.why })),
      mergedBy: mergedBy?.hash ?? null,
      verified: isVerified,
      rows: check.rows,
      run: check.run,
      command: check.command,
    })),
    steps: steps.map((step) => ({ ...step, blocks: blocksIn(step), ms: Math.round(step.ms) })),
    blocks: steps.reduce((sum, step) => sum + blocksIn(step), 0),
    ms: Math.round(steps.reduce((sum, step) => sum + step.ms, 0)),
  };
}
