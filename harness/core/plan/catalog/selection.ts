import { FarmError, unknownName } from '../../errors.ts';
import {
  listHosts,
  type Benchmark,
  type Case,
  type ParameterValue,
  type Suite,
} from '../../model/case.ts';
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
  const spanned = benchmarks.map((id) => findBenchmark(catalog, id));
  refuseUnknownParameters(spanned, choices, benchmarks.join(', '));
  const cases = spanned.flatMap((one) => expandCases(one, ownChoices(one, choices)));
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
  const wanted = suite.cases.filter(
    (one) => benchmarks.length === 0 || benchmarks.includes(one.benchmark.id),
  );
  const all = listBenchmarks(wanted.length > 0 ? wanted : suite.cases);
  refuseUnknownParameters(all, choices, suite.id);
  const chosen = Object.entries(choices).map(([name, values]) => ({
    name,
    taken: takenValues(all, name, values),
  }));
  const cases = wanted.filter(({ benchmark, parameters }) =>
    chosen.every(({ name, taken }) => {
      const value = parameters[name];
      return value === undefined || taken.get(benchmark.id)?.has(value) === true;
    }),
  );
  // A case must have the parameters that were asked for: one without them matches anything.
  const isThere = chosen.every(({ name }) => cases.some(({ parameters }) => name in parameters));
  if (cases.length > 0 && isThere) return { ...suite, cases };
  throw new FarmError('bad-argument', {
    what: `Nothing of the suite ${suite.id} is left after --bench and --param.`,
    next: 'Leave --suite out to measure values that it does not hold.',
  });
}

/** Says which benchmarks lack a parameter that was chosen: their cases are measured as they are. */
export function describeUnrestricted(
  { cases }: Pick<Suite, 'cases'>,
  choices: Choices,
): readonly string[] {
  return Object.keys(choices).flatMap((name) => {
    const without = listBenchmarks(cases).filter((one) => !hasParameter(one, name));
    if (without.length === 0) return [];
    const ids = without.map(({ id }) => id).join(', ');
    return [`--param ${name} does not restrict ${ids}: no such parameter there`];
  });
}

function listBenchmarks(cases: readonly Case[]): readonly Benchmark[] {
  return [...new Map(cases.map(({ benchmark }) => [benchmark.id, benchmark])).values()];
}

function hasParameter({ parameters }: Benchmark, name: string): boolean {
  return parameters.some((one) => one.name === name);
}

function ownChoices(benchmark: Benchmark, choices: Choices): Choices {
  const own = Object.entries(choices).filter(([name]) => hasParameter(benchmark, name));
  return Object.fromEntries(own);
}

/** @throws FarmError `unknown-parameter` for one that none of the benchmarks has */
function refuseUnknownParameters(
  benchmarks: readonly Benchmark[],
  choices: Choices,
  where: string,
): void {
  const known = [...new Set(benchmarks.flatMap(({ parameters }) => parameters.map((p) => p.name)))];
  for (const seen of Object.keys(choices)) {
    if (known.includes(seen)) continue;
    throw unknownName('unknown-parameter', { kind: `parameter of ${where}`, seen, known });
  }
}

/**
 * The chosen values of a parameter, by the ids of the benchmarks that take them: one benchmark's
 * values need not be another's.
 * @throws FarmError `bad-argument` for values that no benchmark takes
 */
function takenValues(
  benchmarks: readonly Benchmark[],
  name: string,
  values: Choices[string],
): ReadonlyMap<string, ReadonlySet<ParameterValue | undefined>> {
  const taken = new Map<string, ReadonlySet<ParameterValue | undefined>>();
  let refusal: unknown = null;
  for (const benchmark of benchmarks.filter((one) => hasParameter(one, name))) {
    try {
      const cases = expandCases(benchmark, { [name]: values });
      taken.set(benchmark.id, new Set(cases.map(({ parameters }) => parameters[name])));
    } catch (error) {
      refusal ??= error;
    }
  }
  if (taken.size === 0) throw refusal;
  return taken;
}
