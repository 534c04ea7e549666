import type { TrialResult } from '../../../pages/protocol.d.ts';
import type { DeviceCheck, PageFacts } from './device-report.ts';

/** Abilities that the page of the report tries, by the names that it gives them. */
const abilities = [
  ...['worker', 'shared memory', 'shared WebAssembly memory', 'timers'],
  ...['visible', 'secure context', 'files', 'frames', 'wake lock'],
] as const;

const entryTypes = [
  ...['paint', 'largest-contentful-paint', 'layout-shift', 'event'],
  ...['longtask', 'long-animation-frame'],
] as const;

const numbers = [
  ...['thread start ms', 'timer of 4 ms', 'slowest timer of 4 ms', 'frame ms'],
  ...['screen width', 'screen height', 'pixel ratio', 'touch points'],
] as const;

/**
 * Reads what the page of a report posted. A page is hostile: only known names and numbers are taken,
 * and of its words those of an ability that failed.
 */
export function readFacts({ clock, host, counters, errors = [] }: TrialResult): {
  readonly facts: Omit<PageFacts, 'drawnBy'>;
  readonly checks: readonly DeviceCheck[];
} {
  const tried = abilities.filter((name) => counters[name] !== undefined);
  const kinds = entryTypes.filter((name) => counters[name] !== undefined);
  const rounded = numbers.flatMap((name) => {
    const value = counters[name];
    return value === undefined ? [] : [[name, Number(value.toPrecision(4))] as const];
  });
  const isolated: DeviceCheck = {
    name: 'isolated',
    declared: null,
    ...(clock.isolated
      ? { seen: 'works' }
      : { seen: 'missing', detail: 'crossOriginIsolated is false: a coarser clock' }),
  };
  return {
    facts: { ...host, ...clock, numbers: Object.fromEntries(rounded) },
    checks: [
      isolated,
      ...tried.map((name) => describeAbility(name, { works: counters[name] === 1, errors })),
      ...kinds.map((name): DeviceCheck => ({
        name: `${name} entries`,
        declared: null,
        seen: counters[name] === 1 ? 'works' : 'missing',
      })),
    ],
  };
}

function describeAbility(
  name: string,
  { works, errors }: { readonly works: boolean; readonly errors: readonly string[] },
): DeviceCheck {
  if (works) return { name, declared: null, seen: 'works' };
  const words = errors.find((one) => one.startsWith(`${name}: `))?.slice(name.length + 2);
  return { name, declared: null, seen: 'missing', ...(words !== undefined && { detail: words }) };
}
