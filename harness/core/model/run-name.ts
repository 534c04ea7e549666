/** The measurement of a run as its name gives it. */
export interface NamedByPlan {
  readonly suite: string;
  /** The question that it answers, after its id; null for a run without one. */
  readonly question: string | null;
  /** Versions of a page, the first first; empty for a run of something else. */
  readonly versions: readonly string[];
  /** Names of the devices that were found, in their order. */
  readonly devices: readonly string[];
  /** Short names of its first cases; three are enough. */
  readonly cases: readonly string[];
}

/** More are counted: a name is one line of a list. */
const mostNamed = 3;

/**
 * The name of a run in a list: `old vs new, Chromium`, `Chromium vs Firefox, asyncFib(12)`, `quick,
 * Chromium`. Parts of it come from pages and devices: hostile.
 */
export function nameOfRun({ suite, question, versions, devices, cases }: NamedByPlan): string {
  if (question !== null) return question;
  if (versions.length > 0) return joined([versus(versions), named(devices)]);
  if (suite === 'compare') {
    const isOfCases = new Set(devices).size < 2 && cases.length > 1;
    return isOfCases
      ? joined([versus(cases), devices[0]])
      : joined([versus(devices), cases.length === 1 ? cases[0] : undefined]);
  }
  return joined([suite, named(devices)]);
}

function versus(names: readonly string[]): string {
  return names.length > mostNamed
    ? `${names[0] ?? ''} vs ${String(names.length - 1)} others`
    : names.join(' vs ');
}

function named(devices: readonly string[]): string {
  return devices.length > mostNamed ? `${String(devices.length)} devices` : devices.join(', ');
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}
