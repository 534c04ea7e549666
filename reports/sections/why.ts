import type {
  CpuFacts,
  Findings,
  FittingClaim,
  ThreadSummary,
} from '../../harness/core/results/index.ts';
import type { BlameFacts } from '../../harness/core/results/blame.ts';
import { html, join, type Content, type Html } from '../html/escape.ts';
import { formatCount, formatPlain, formatShare, plural } from '../html/number.ts';
import { formatMsChange } from '../wording/change.ts';
import type { PlacedPair } from '../wording/difference.ts';

/** A tenth of a core, and of what is busy: compositor, timers and messages take as much in one trial or another. */
const leastCores = 0.1;
/** Share of the CPU time by which garbage collection, and of the CPU by which other programs, stand out. */
const leastShare = 0.05;

/**
 * Names the function that changed most, where profiles showed it, and other differences between the
 * two sides, of everything that the farm records. These were seen with the difference, and are never
 * called its cause: only trials without the suspect show one.
 */
export function seenWith(one: PlacedPair, findings: Findings): Html {
  const seen = allSeen(one, findings);
  const changed = findFunction(findings);
  if (changed !== null) {
    return html`The function that changed most: <bdi>${changed.name}</bdi>,
      ${formatMsChange(changed)}.${seen.length > 0 && html` Seen with it: ${seenText(seen)}.`}`;
  }
  if (seen.length > 0) return html`Seen with it: ${seenText(seen)}.`;
  const threads = threadsOf(one, findings);
  if (threads === null) return html`Nothing recorded says why, and threads were not read.`;
  return html`Nothing recorded says why (alike: ${seenText(threadsSeen(...threads))}).`;
}

/** Finds the function that changed most in the direction of the whole; null for several pairs, or without one. */
function findFunction({
  blame,
  verdicts,
}: Findings): BlameFacts['comparisons'][number]['rows'][number] | null {
  if (blame === undefined || verdicts.pairs.length !== 1) return null;
  const changed = blame.comparisons.flatMap(({ total, rows }) =>
    rows.filter(({ changeMs }) => Math.sign(changeMs) === Math.sign(total.changeMs)),
  );
  return changed[0] ?? null;
}

/** Tells whether a function is known, or anything recorded differs with it. */
export function isAnythingKnown(one: PlacedPair, findings: Findings): boolean {
  return findFunction(findings) !== null || allSeen(one, findings).length > 0;
}

function seenText(seen: readonly SeenDifference[]): Html {
  return join(
    seen.map(({ words }) => words),
    '; ',
  );
}

function allSeen(one: PlacedPair, findings: Findings): readonly SeenDifference[] {
  const cpu = cpuOf(one, findings);
  const threads = threadsOf(one, findings);
  return [
    ...betweenRuns(one, findings),
    ...(cpu === null ? [] : machineSeen(...cpu)),
    ...(threads === null ? [] : threadsSeen(...threads).filter(({ apart }) => apart)),
  ];
}

type Both<T> = readonly [a: T, b: T];

/** Of the trials that are drawn below: on each side the one whose value is the median. */
function cpuOf({ pair }: PlacedPair, { cpu }: Findings): Both<CpuFacts> | null {
  const [a, b] = [pair.a, pair.b].map(({ caseName, targetId }) =>
    cpu.find((facts) => facts.caseName === caseName && facts.targetId === targetId),
  );
  return a === undefined || b === undefined ? null : [a, b];
}

function threadsOf(one: PlacedPair, findings: Findings): Both<ThreadSummary> | null {
  const [a, b] = cpuOf(one, findings)?.map(({ threads }) => threads) ?? [];
  return a && b && 'roles' in a && 'roles' in b ? [a, b] : null;
}

interface SeenDifference {
  readonly words: Content;
}

/** Differences between the runs of both sides: device, start and machine. */
function betweenRuns(
  { pair }: PlacedPair,
  { between = [], runs, targets }: Findings,
): readonly SeenDifference[] {
  const [a, b] = [pair.a, pair.b].map(({ targetId }) => {
    const run = targets.find(({ id }) => id === targetId)?.run;
    return runs.findIndex(({ id }) => id === run);
  });
  if (a === undefined || b === undefined || a < 0 || b < 0) return [];
  return between
    .filter(({ targetIds }) => [pair.a, pair.b].every((side) => targetIds.includes(side.targetId)))
    .filter(({ texts }) => texts[a] !== texts[b])
    .map(({ label, texts }) => ({
      words: html`${label}: ${texts[a] ?? ''} against ${texts[b] ?? ''}`,
    }));
}

/** A machine with other cores, or with other programs on them. */
function machineSeen(a: CpuFacts, b: CpuFacts): readonly SeenDifference[] {
  const [ours, theirs] = [a, b].map(({ cores }) => ('busy' in cores ? cores.busy.length : null));
  const foreign = [a, b].map(({ foreignShare }) => foreignShare);
  const isBusy = foreign.some((share) => share !== null && share >= leastShare);
  const shares = foreign.map((share) => (share === null ? 'not seen' : formatShare(share)));
  return [
    ...(ours && theirs && ours !== theirs
      ? [{ words: `a machine of ${formatCount(ours)} against ${plural(theirs, 'core')}` }]
      : []),
    ...(isBusy ? [{ words: `other programs took ${shares.join(' against ')} of the CPU` }] : []),
  ];
}

/** The numbers that the section on cores and threads shows, side by side. */
function threadsSeen(
  a: ThreadSummary,
  b: ThreadSummary,
): readonly (SeenDifference & { readonly apart: boolean })[] {
  const against = (values: Values, format: (value: number) => string): string =>
    values.map(format).join(' against ');
  const sides = [a, b];
  const busy = sides.map((one) => one.coresBusy);
  const script = sides.map((one) => one.javascriptParallelism);
  const gc = sides.map((one) => one.gcShare);
  return [
    { words: `${against(busy, formatPlain)} cores busy`, apart: isOther(busy) },
    { words: `JavaScript on ${against(script, formatPlain)} cores`, apart: isOther(script) },
    { words: `GC ${against(gc, formatShare)} of the CPU time`, apart: rangeOf(gc) >= leastShare },
  ];
}

type Values = readonly number[];

function isOther(cores: Values): boolean {
  return rangeOf(cores) >= leastCores * Math.max(1, ...cores);
}

function rangeOf(values: Values): number {
  return Math.max(...values) - Math.min(...values);
}

/** Says once for all differences that this proves nothing, and how to prove a cause. */
export function noProof(shown: readonly PlacedPair[], findings: Findings): Html {
  const { fitting = [] } = findings;
  const keyOf = ({ a, b }: Pick<PlacedPair['pair'], 'a' | 'b'>): string =>
    [a, b].flatMap(({ targetId, caseName }) => [targetId, caseName]).join('\n');
  const keys = new Set(shown.map(({ pair }) => keyOf(pair)));
  const ours = fitting.filter(({ pairs }) => pairs.some((pair) => keys.has(keyOf(pair))));
  const isSeen = shown.some((one) => allSeen(one, findings).length > 0);
  return html`${isSeen && html`<p class="soft">${proof}</p>`}${ours.length > 0 && claimsThatFit(ours)}`;
}

const proof =
  'What was seen with a difference need not be its cause: only the same trials without the suspect show that.';

function claimsThatFit(claims: readonly FittingClaim[]): Html {
  return html`<p class="soft">Published claims about it, each measured by a command:</p>
    <ul>
      ${claims.map(
        ({ command, sentence }) =>
          html`<li>
            <bdi>${sentence}</bdi> <span><code data-copy>${command}</code></span>
          </li> `,
      )}
    </ul>`;
}
