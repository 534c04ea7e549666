import { randomInt } from 'node:crypto';
import { loadDriver } from '../../drivers/index.ts';
import { FarmError, unknownName } from '../errors.ts';
import { loadInventory, selectDevices } from '../inventory/inventory.ts';
import type { Presence } from '../model/device.ts';
import { chooseTwin, twinOf } from '../nights/aa-lane.ts';
import type { MeasuringNotes } from '../nights/night.ts';
import { makePlan } from '../plan/plan.ts';
import type { RunListener } from '../runner/listener.ts';
import { findDevices } from '../setup/presence.ts';
import { carryOut, chooseListener, type Carried } from './carry-out.ts';
import { goOnWith, readStoredSetting } from './go-on.ts';
import { note, type Io } from './io.ts';
import { persevere, type Persevering } from './persevere.ts';
import { readRecord } from './records.ts';
import { chooseLanes, chooseSuite, commandOf, refuseNothing, type RunOptions } from './run.ts';

export interface NightRunOptions extends RunOptions {
  /** The target that is measured against itself; in turn when left out, none when false. */
  readonly aa?: string | false;
  /** Milliseconds for the whole run. */
  readonly budget: number;
}

export interface NightRun {
  readonly options: NightRunOptions;
  readonly io: Io;
  readonly notes: MeasuringNotes;
  /** Targets that were measured against themselves before, the newest first. */
  readonly before: readonly string[];
  /** Waits before a run that was broken off is gone on with; tests do not wait. */
  readonly rest?: Persevering<Carried>['rest'];
}

/**
 * Every case of the suite on every device, and one target a second time. A run that the disk or a
 * lock of the database broke off is gone on with, after a rest, as long as there is time.
 * @throws FarmError `run-interrupted` when it did not come to its end, and whatever kept it from
 * beginning; what is stored stays.
 */
export async function measureNight({ options, io, notes, before, rest }: NightRun): Promise<void> {
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
  const listener = options.json ? {} : chooseListener(false, io);
  const lane = twin === null ? '--no-aa' : `--aa ${twin.device.id}`;
  const time = AbortSignal.timeout(options.budget);
  const timedIo = { ...io, signal: AbortSignal.any([io.signal, time]) };
  let run: number | null = null;
  const begin = (): Promise<Carried> =>
    carryOut(plan, {
      suite: suite.id,
      command: `${commandOf(options, plan, 'nightly')} ${lane}`,
      options,
      io: timedIo,
      listener: {
        ...listener,
        onRunStarted: (event) => {
          run = event.run;
          notes.begun(event.run, plan.jobs.length);
          listener.onRunStarted?.(event);
        },
      },
    });
  const { interrupted } = await persevere(begin, {
    again: () => (run === null ? null : goOnAgain(run, { options, io: timedIo, listener })),
    signal: timedIo.signal,
    ...(rest !== undefined && { rest }),
    say: (sentence) => {
      note(io, sentence);
    },
  });
  if (interrupted) throw runInterrupted(options, time.aborted && !io.signal.aborted);
}

interface Again {
  readonly options: NightRunOptions;
  readonly io: Io;
  readonly listener: RunListener;
}

/** Nobody else can have taken the run meanwhile: this farm, whose it is, lives. */
function goOnAgain(run: number, { options, ...how }: Again): () => Promise<Carried> {
  const { database, json, port } = options;
  return async () => {
    const record = await readRecord(run, database);
    const stored = await readStoredSetting(run, database);
    if (stored === null) throw new TypeError('a run that was begun here has a setting');
    return goOnWith({ record, stored }, { database, json, port, ...how });
  };
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

function runInterrupted({ budget }: NightRunOptions, late: boolean): FarmError {
  return new FarmError('run-interrupted', {
    what: late
      ? `The run took longer than its budget of ${String(Math.round(budget / 1000))} s, and was ended.`
      : 'The run was interrupted.',
    next: late
      ? 'Give it more with --budget, or less to do: farm resume does the rest now.'
      : 'farm resume does the rest.',
  });
}
