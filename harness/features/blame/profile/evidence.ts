import { showFunction } from './busiest.ts';
import { functionKey, type Frame, type Profile } from './profile.ts';

type Tier = NonNullable<Frame['tier']>;

const tierNames: Readonly<Record<Tier, string>> = {
  interpreter: 'the interpreter',
  baseline: 'the baseline tier',
  optimised: 'optimised code',
};

/** A function with less of the busy time explains little. */
const leastShare = 0.05;
const mostSentences = 6;

/**
 * Says what engines tell of the code that ran: functions that were not in the same tier in all sessions,
 * and optimised code that was thrown away. Firefox tells the first, V8 the second.
 * @param profiles of one version of a case, each of a session of its own
 */
export function describeCode(profiles: readonly Profile[]): readonly string[] {
  const found = new Map<string, CodeOfFunction>();
  for (const profile of profiles) noteSession(found, profile);
  const whole = [...found.values()].reduce((sum, { ms }) => sum + ms, 0);
  return [...found.values()]
    .filter(({ ms }) => ms >= whole * leastShare)
    .sort((a, b) => b.ms - a.ms)
    .flatMap((one) => [...describeTiers(one), ...describeDeopts(one)])
    .slice(0, mostSentences);
}

interface CodeOfFunction {
  readonly name: string;
  /** Self time in all sessions. */
  ms: number;
  sessions: number;
  /** Sessions in which it took the most time in this tier. */
  readonly tiers: Map<Tier, number>;
  readonly reasons: Map<string, number>;
}

function noteSession(found: Map<string, CodeOfFunction>, profile: Profile): void {
  const { functions, frames, threads } = profile;
  const ms = new Float64Array(frames.length);
  for (const { stacks, weightsMs, role } of threads) {
    if (role === 'helper') continue;
    stacks.forEach((stack, i) => {
      ms[stack] = (ms[stack] ?? 0) + (weightsMs[i] ?? 0);
    });
  }
  const sums = new Map<string, { readonly byTier: Map<Tier, number>; ms: number }>();
  frames.forEach((frame, i) => {
    const what = functions[frame.function];
    if (what?.category !== 'script' || (ms[i] ?? 0) === 0) return;
    const key = functionKey(what);
    const sum = sums.get(key) ?? { byTier: new Map<Tier, number>(), ms: 0 };
    sums.set(key, sum);
    sum.ms += ms[i] ?? 0;
    const { tier } = frame;
    if (tier !== undefined) sum.byTier.set(tier, (sum.byTier.get(tier) ?? 0) + (ms[i] ?? 0));
  });
  for (const what of functions) {
    const sum = sums.get(functionKey(what));
    if (sum === undefined) continue;
    sums.delete(functionKey(what));
    const one = found.get(functionKey(what)) ?? makeCode(showFunction(what));
    found.set(functionKey(what), one);
    one.ms += sum.ms;
    one.sessions += 1;
    const [longest] = [...sum.byTier].sort(([, a], [, b]) => b - a);
    if (longest !== undefined) one.tiers.set(longest[0], (one.tiers.get(longest[0]) ?? 0) + 1);
    for (const reason of what.deopts ?? []) {
      one.reasons.set(reason, (one.reasons.get(reason) ?? 0) + 1);
    }
  }
}

function makeCode({
  name,
  place,
}: {
  readonly name: string;
  readonly place: string;
}): CodeOfFunction {
  const called = place === '' ? name : `${name} (${place})`;
  return { name: called, ms: 0, sessions: 0, tiers: new Map(), reasons: new Map() };
}

/** Nothing where all sessions are alike. */
function describeTiers({ name, tiers, sessions }: CodeOfFunction): readonly string[] {
  const [usual, ...others] = [...tiers].sort(([, a], [, b]) => b - a);
  if (usual === undefined || others.length === 0) return [];
  const parts = others.map(
    ([tier, count]) => `in ${tierNames[tier]} in ${String(count)} of ${String(sessions)} sessions`,
  );
  return [`${name} runs ${parts.join(' and ')}, else in ${tierNames[usual[0]]}.`];
}

function describeDeopts({ name, reasons, sessions }: CodeOfFunction): readonly string[] {
  return [...reasons].map(
    ([reason, count]) =>
      `${name} lost its optimised code in ${String(count)} of ${String(sessions)} sessions: ${reason}.`,
  );
}
