import { FarmError, unknownName } from '../../errors.ts';
import { listHosts, type Case, type Suite } from '../../model/case.ts';
import { hosts } from '../../model/device.ts';
import { findBenchmark, loadSuite, type Catalog } from './catalog.ts';
import { expandCases, type Choices } from './expansion.ts';
import { defaultMeasurement } from './measurement.ts';

export interface SelectionRequest {
  /** Null: benchmarks alone, or the quick suite without benchmarks. */
  readonly suite: string | null;
  readonly benchmarks: readonly string[];
  readonly choices: Choices;
}

const defaultTrials = 6;

/**
 * The cases that a run takes. With a suite, benchmarks and parameters narrow it down; without one,
 * they span the cases themselves.
 * @throws FarmError for unknown names (with the nearest), values out of range, or nothing left.
 */
export async function selectCases(catalog: Catalog, request: SelectionRequest): Promise<Suite> {
  for (const id of request.benchmarks) findBenchmark(catalog, id);
  if (request.suite === null && request.benchmarks.length > 0) return spanSuite(catalog, request);
  const suite = await loadSuite(catalog, request.suite ?? 'quick');
  return narrowSuite(suite, request);
}

/** Unnamed runtimes are measured only where no browser could, and programs where neither could. */
function spanSuite(catalog: Catalog, { benchmarks, choices }: SelectionRequest): Suite {
  const cases = benchmarks.flatMap((id) => expandCases(findBenchmark(catalog, id), choices));
  return {
    id: benchmarks.join('+'),
    title: `chosen cases of ${benchmarks.join(', ')}`,
    hosts: hosts.filter((host) => cases.some((one) => listHosts(one).includes(host))).slice(0, 1),
    isolation: 'session',
    trials: defaultTrials,
    measurement: defaultMeasurement,
    cases,
  };
}

function narrowSuite(suite: Suite, { benchmarks, choices }: SelectionRequest): Suite {
  refuseUnknownParameters(suite, choices);
  const cases = suite.cases
    .filter((one) => benchmarks.length === 0 || benchmarks.includes(one.benchmark.id))
    .filter((one) => fits(one, choices));
  if (cases.length > 0) return { ...suite, cases };
  throw new FarmError('bad-argument', {
    what: `Nothing of the suite ${suite.id} is left after --bench and --param.`,
    next: 'Leave --suite out to measure values that it does not hold.',
  });
}

function refuseUnknownParameters(suite: Suite, choices: Choices): void {
  const known = [...new Set(suite.cases.flatMap((one) => Object.keys(one.parameters)))];
  for (const seen of Object.keys(choices)) {
    if (known.includes(seen)) continue;
    throw unknownName('unknown-parameter', { kind: `parameter in ${suite.id}`, seen, known });
  }
}

/** A case without the parameter is not wanted when the parameter was asked for. */
function fits(one: Case, choices: Choices): boolean {
  return Object.entries(choices).every(([name, chosen]) => {
    if (!(name in one.parameters)) return false;
    const wanted = expandCases(one.benchmark, { [name]: chosen });
    return wanted.some((other) => other.parameters[name] === one.parameters[name]);
  });
}
