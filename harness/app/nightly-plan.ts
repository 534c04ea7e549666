import { randomInt } from 'node:crypto';
import { loadDriver } from '../../drivers/index.ts';
import { unknownName } from '../errors.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import type { Presence } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import { chooseTwin, twinOf } from './nights/aa-lane.ts';
import type { MeasuringNotes } from './nights/night.ts';
import { makePlan } from '../plan/plan.ts';
import { findDevices } from '../setup/presence.ts';
import type { Io } from '../cli/io.ts';
import { chooseLanes, chooseSuite, commandOf, refuseNothing, type RunOptions } from '../cli/run.ts';

export interface NightRunOptions extends RunOptions {
  /** The target that is measured against itself; in turn when left out, none when false. */
  readonly aa?: string | false;
  /** Milliseconds for the whole run. */
  readonly budget: number;
}

export interface Planning {
  readonly options: NightRunOptions;
  readonly io: Io;
  readonly notes: Pick<MeasuringNotes, 'found'>;
  /** Targets that were measured against themselves before, the newest first. */
  readonly before: readonly string[];
}

export interface PlannedNight {
  readonly plan: Plan;
  readonly suite: string;
  /** The command that repeats the run. */
  readonly command: string;
}

/**
 * Every case of the suite on every device, and one target a second time.
 * @throws FarmError `no-device`, and what keeps a suite or a device from being found.
 */
export async function planNight({ options, io, notes, before }: Planning): Promise<PlannedNight> {
  const suite = await chooseSuite(options);
  const devices = selectDevices(
    await loadInventory(options.inventory),
    options.device,
    suite.hosts,
  );
  const found = await findDevices(devices, loadDriver);
  notes.found(found);
  refuseNothing(found);
  const twin = pickTwin(found, options, before);
  const presences = twin === null ? found : [...found, twinOf(twin)];
  const plan = makePlan({
    ...suite,
    blocks: suite.trials,
    seed: options.seed ?? randomInt(2 ** 32),
    presences,
    lanes: chooseLanes(presences, suite, io),
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const lane = twin === null ? '--no-aa' : `--aa ${twin.device.id}`;
  return { plan, suite: suite.id, command: `${commandOf(options, plan, 'nightly')} ${lane}` };
}

function pickTwin(
  presences: readonly Presence[],
  { aa }: NightRunOptions,
  before: readonly string[],
): ReturnType<typeof chooseTwin> {
  if (aa === false) return null;
  if (aa === undefined) return chooseTwin(presences, before);
  const known = presences.map(({ device }) => device.id);
  if (!known.includes(aa)) throw unknownName('unknown-device', { kind: 'device', seen: aa, known });
  return chooseTwin(
    presences.filter(({ device }) => device.id === aa),
    [],
  );
}
