import { randomBytes, randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { loadCatalog } from '../plan/catalog/catalog.ts';
import { selectCases } from '../plan/catalog/selection.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import { FarmError, type ExitCode } from '../errors.ts';
import type { Suite } from '../model/case.ts';
import type { Plan } from '../model/plan.ts';
import { crossLanes, makePlan } from '../plan/plan.ts';
import { pagesFolder } from '../project.ts';
import { defaultLimits } from '../run/limits.ts';
import type { RunListener } from '../run/listener.ts';
import { SeatDesk } from '../server/join/seat-desk.ts';
import type { Seat } from '../server/join/seat.ts';
import { startPageServer, type PageServer } from '../server/page-server.ts';
import { settles } from '../session/teardown.ts';
import { attendedDevices } from '../app/attend/attended-devices.ts';
import { carryOut, chooseListener, type MeasuringOptions } from '../app/run/execute-plan.ts';
import { guestFoldersOf } from '../app/run/external-pages.ts';
import { note, print, type Io, type Runner } from './io.ts';
import { lanAddress } from '../app/run/lan-address.ts';
import {
  collectNames,
  collectParameters,
  parseCount,
  parseDuration,
  parseSeed,
  withDatabase,
  withJson,
  withPages,
  withTrialOptions,
} from './options.ts';
import { qrHtml, qrTerminal } from './text/qr-code.ts';
import { verdictOf } from './run.ts';

interface AttendOptions extends MeasuringOptions {
  readonly suite?: string;
  readonly bench: readonly string[];
  readonly param: Choices;
  readonly trials?: number;
  readonly seed?: number;
  /** An address of this machine, or true for the first; only this machine when left out. */
  readonly lan?: string | true;
  readonly count: number;
  /** How long a device may be away, in milliseconds; and how long an invitation is good. */
  readonly patience: number;
}

const defaultPatienceMs = 10 * 60_000;

/** A phone that hears nothing any more keeps nobody waiting. */
const farewellMs = 2000;

/** A phone that was locked five times in one trial will be locked again. */
const attempts = 5;

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withJson(command, 'print events as JSON lines: joining, then those of a run')
    .option('--suite <name>', 'a suite of pages/suites (default: quick)')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .option('--count <number>', 'devices to wait for', parseCount, 1)
    .option('--lan [address]', 'let devices of the local network join, not only this machine')
    .addOption(
      new Option('--patience <duration>', 'how long a device may be away')
        .argParser(parseDuration)
        .default(defaultPatienceMs, '10m'),
    )
    .option('--seed <number>', 'seed of the order, to repeat a run', parseSeed)
    // No probe sees a device that was not started here, and each says so.
    .action((options: Omit<AttendOptions, 'probes'>) =>
      run((io) => attend({ ...options, probes: true }, io)),
    );
}

const help = `
Each device scans a code, is named by its owner, and runs the cases in one tab. Isolation is page:
nobody starts its browser anew. Over plain HTTP a page of another machine is no secure context, so
its clock is coarser and it has no shared memory; its results say so.`;

/** What `attend` does when nothing is said. */
export const attendDefaults = {
  ...{ bench: [], param: {}, json: false, port: 0, probes: true, count: 1 },
  deadline: defaultLimits.trialMs,
  pages: pagesFolder(),
  patience: defaultPatienceMs,
} as const;

/**
 * Devices that join by a code → plan → trials → store.
 * @param onScreen is told where the code of the moment is shown; null: no device can join any more.
 */
export async function attend(
  options: AttendOptions,
  io: Io,
  onScreen: (screen: string | null) => void = () => undefined,
): Promise<ExitCode> {
  const suite = await chooseSuite(options);
  const host = options.lan === undefined ? '127.0.0.1' : lanAddress(options.lan);
  const desk = new SeatDesk({ inviteMs: options.patience, now: () => performance.now() });
  const invitation: { address: string } = { address: '' };
  const invite = {
    secret: randomBytes(16).toString('base64url'),
    show: () => qrHtml(invitation.address),
  };
  const guests = guestFoldersOf({ jobs: suite.cases.map((one) => ({ case: one })) });
  const server = await startPageServer({
    ...{ pages: resolve(options.pages), port: options.port, host },
    ...{ guests, join: { desk, invite } },
  });
  try {
    const screen = `${server.origin}/invite/${invite.secret}`;
    onScreen(screen);
    const seats = await seatAll(options, { desk, server, screen, invitation, io });
    onScreen(null);
    return await measure(suite, { options, desk, server, seats, io });
  } finally {
    onScreen(null);
    await settles(desk.end('The farm has ended. Thank you.'), farewellMs);
    await server.close();
  }
}

async function chooseSuite(options: AttendOptions): Promise<Suite> {
  const { suite = null, bench, param: choices } = options;
  const chosen = await selectCases(await loadCatalog(options.pages), {
    suite,
    benchmarks: bench,
    choices,
  });
  const elsewhere = chosen.cases.find(({ benchmark }) => benchmark.guest?.place.kind === 'url');
  if (elsewhere === undefined) {
    return { ...chosen, isolation: 'page', trials: options.trials ?? chosen.trials };
  }
  throw new FarmError('bad-argument', {
    what: `${elsewhere.benchmark.id} is a page at a URL, and nobody can look into it on a device that joins.`,
    next: 'Use a copy of it in a folder, or leave it out with --bench.',
  });
}

interface Reception {
  readonly desk: SeatDesk;
  readonly server: PageServer;
  /** Address of the page that shows the code. */
  readonly screen: string;
  readonly invitation: { address: string };
  readonly io: Io;
}

/** One invitation after the other, each for one device. */
async function seatAll(
  { count, patience, json }: AttendOptions,
  { desk, server, screen, invitation, io }: Reception,
): Promise<readonly Seat[]> {
  const seats: Seat[] = [];
  while (seats.length < count) {
    const url = `${server.origin}/join/${desk.invite()}`;
    invitation.address = url;
    if (json) print(io, JSON.stringify({ type: 'invitation', url, screen }));
    else note(io, `${await qrTerminal(url)}\n${url}\nScan it, or show it on a screen: ${screen}`);
    const waiting = AbortSignal.any([io.signal, AbortSignal.timeout(patience)]);
    const seat = await desk.nextSeat(waiting).catch((error: unknown) => {
      throw io.signal.aborted ? interrupted() : nobodyCame(error);
    });
    seats.push(seat);
    if (json) print(io, JSON.stringify({ type: 'joined', name: seat.name }));
    else note(io, `${seat.name} has joined`);
  }
  return seats;
}

function nobodyCame(cause: unknown): FarmError {
  return new FarmError('no-device', {
    what: 'No device has joined in time.',
    next: 'Try again with a larger --patience; from another machine it takes --lan.',
    cause,
  });
}

function interrupted(): FarmError {
  return new FarmError('no-device', {
    what: 'It was interrupted before every device had joined; nothing was measured.',
    next: 'Begin again: npx farm attend',
  });
}

interface Meeting {
  readonly options: AttendOptions;
  readonly desk: SeatDesk;
  readonly server: PageServer;
  readonly seats: readonly Seat[];
  readonly io: Io;
}

async function measure(suite: Suite, meeting: Meeting): Promise<ExitCode> {
  const { options, desk, server, seats, io } = meeting;
  const { presences, driverOf } = attendedDevices(seats, desk);
  const plan = makePlan({
    ...suite,
    blocks: suite.trials,
    seed: options.seed ?? randomInt(2 ** 32),
    presences,
    lanes: crossLanes(presences, suite.cases),
  });
  const {
    run,
    cells,
    interrupted: cut,
  } = await carryOut(plan, {
    suite: suite.id,
    command: commandOf(options, plan),
    options,
    io,
    listener: withProgress(chooseListener(options.json, io), desk),
    lent: { server, driverOf, limits: { launchMs: options.patience, attempts } },
  });
  if (!options.json) print(io, `see it: npx farm report ${String(run)}`);
  return verdictOf(cells, cut);
}

/** The same events, and the screens of the devices know how far the run is. */
function withProgress(listener: RunListener, desk: SeatDesk): RunListener {
  return {
    ...listener,
    onRunStarted(event) {
      desk.progress = { done: 0, planned: event.plan.jobs.length };
      listener.onRunStarted?.(event);
    },
    onTrialEnded(event) {
      desk.progress = { ...desk.progress, done: desk.progress.done + 1 };
      listener.onTrialEnded?.(event);
    },
  };
}

function commandOf(options: AttendOptions, plan: Plan): string {
  const { suite, bench, param, lan, count } = options;
  return [
    'npx farm attend',
    suite === undefined ? '' : `--suite ${suite}`,
    bench.length > 0 ? `--bench ${bench.join(',')}` : '',
    ...Object.entries(param).map(
      ([name, values]) => `--param ${name}=${[values].flat().join(',')}`,
    ),
    `--trials ${String(plan.blocks)}`,
    count === 1 ? '' : `--count ${String(count)}`,
    lan === undefined ? '' : '--lan',
    `--seed ${String(plan.seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
