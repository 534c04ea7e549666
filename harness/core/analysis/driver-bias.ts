import type { TargetFacts } from '../results/index.ts';
import { caseName } from '../model/case.ts';
import { type FoundDevice, pickPlace } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import type { RunRecord } from '../model/run.ts';
import { runCircumstances, type Pair } from './pairs.ts';
import { parseErrorRate } from './run-pairs.ts';
import { decideTable, type TableEntry } from './decide.ts';

/** The driver that automates nothing: the baseline for the effect of the others. */
const controlDriver = 'open';

/**
 * Pairs each target with its control: the same build with the same settings under the driver that
 * automates nothing, each case by its first metric. A target without a control has no pair.
 */
export function driverPairs({
  presences,
  jobs,
}: Pick<Plan, 'presences' | 'jobs'>): readonly Pair[] {
  const found = presences.filter((one): one is FoundDevice => one.status === 'found');
  const planned = new Map(jobs.map((job) => [`${job.deviceId}\n${caseName(job.case)}`, job.case]));
  return found.flatMap((one) => {
    const control = controlOf(one, found);
    if (control === null) return [];
    const ids = { a: one.device.id, b: control.device.id };
    return [...planned].flatMap(([key, aCase]) => {
      const [metric] = aCase.benchmark.metrics;
      const isOurs = key.startsWith(`${ids.a}\n`) && planned.has(`${ids.b}\n${caseName(aCase)}`);
      if (!isOurs || metric === undefined) return [];
      const side = (deviceId: string) => ({ deviceId, case: aCase });
      return [{ a: side(ids.a), b: side(ids.b), metric }];
    });
  });
}

function controlOf(one: FoundDevice, all: readonly FoundDevice[]): FoundDevice | null {
  if (one.device.driver === controlDriver) return null;
  const build = buildOf(one);
  return (
    all.find((other) => other.device.driver === controlDriver && buildOf(other) === build) ?? null
  );
}

/** Identifies a target except for its driver and its name. */
function buildOf({ device, target }: FoundDevice): string {
  const { headless, flags, preferences, environment, cores } = device;
  const settings = { headless, flags, preferences, environment, cores, ...pickPlace(device) };
  return JSON.stringify([target.browser, target.executable, settings]);
}

type AgainstOpen = NonNullable<TargetFacts['againstOpen']>;

/** Returns the effect of each driver, by target; a target without a control is left out. */
export function driverBias(record: RunRecord, margin: number): ReadonlyMap<string, AgainstOpen> {
  const alpha = parseErrorRate(record.run.command);
  const rules = { margin, alpha, ...runCircumstances(record) };
  const entries = decideTable(record.trials, driverPairs(record), rules);
  const bias = new Map<string, AgainstOpen>();
  for (const entry of entries) {
    const { a, b } = entry.pair;
    const sofar = bias.get(a.deviceId)?.cases ?? [];
    bias.set(a.deviceId, { controlId: b.deviceId, cases: [...sofar, ...describe(entry)] });
  }
  return bias;
}

function describe({ pair, decision }: TableEntry): AgainstOpen['cases'] {
  if (decision.kind !== 'decided-on') return [];
  const { verdict, ratio, low, high, blocks } = decision.decision;
  return [{ caseName: caseName(pair.a.case), verdict, ratio, low, high, blocks }];
}
