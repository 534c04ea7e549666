import { randomBytes, randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { findExternalPlace, type Suite } from '../../core/model/case.ts';
import { isLoopback } from '../../core/model/device.ts';
import type { Plan } from '../../core/model/plan.ts';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { selectCases } from '../../core/plan/catalog/selection.ts';
import { crossArms, makePlan } from '../../core/plan/plan.ts';
import type { Limits } from '../../core/run/limits.ts';
import type { RunListener } from '../../core/run/listener.ts';
import type { ExternalFolders } from '../../core/server/files.ts';
import { ClientRegistry } from './join/client-registry.ts';
import { addInvitePage, addJoin } from './join/join-routes.ts';
import type { Client } from './join/client.ts';
import { type PageServer, startPageServer } from '../../core/server/page-server.ts';
import { settles } from '../../core/session/teardown.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  executePlan,
  type MeasuringOptions,
  type RunResult,
} from '../../core/app/run/execute-plan.ts';
import { externalFolders } from '../../core/app/run/external-pages.ts';
import { lanAddress, listLanAddresses } from '../../core/app/run/lan-address.ts';
import { readCircumstances, parameterArguments } from '../../core/app/run/repeat-command.ts';
import { openCertificate, requireLan, type TlsOptions } from '../../core/app/tls/certificate.ts';
import { attendedDevices } from './attended-devices.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface AttendOptions extends MeasuringOptions, DoorOptions {
  readonly suite?: string;
  readonly bench: readonly string[];
  readonly param: Choices;
  readonly trials?: number;
  readonly seed?: number;
}

/** How devices join. */
export interface DoorOptions extends Pick<MeasuringOptions, 'pages' | 'port'>, TlsOptions {
  /** An address of this machine, or true for the first; only this machine when left out. */
  readonly lan?: string | true;
  readonly count: number;
  /** Where a person may try pages instead of joining. */
  readonly visitors?: string;
  /** How long a device may be away, in milliseconds; and how long an invitation is good. */
  readonly patience: number;
}

/** Where the code of the moment is. */
export interface Invitation {
  /** The address in the code. */
  readonly url: string;
  /** Address of the page that shows the code. */
  readonly screen: string;
  /** SHA-256 of the authority that a device has to trust; left out where it need not. */
  readonly fingerprint?: string;
}

export interface AttendCaller extends MeasuringCaller {
  /** Takes each code, which is good for one device. */
  readonly onInvitation?: (invitation: Invitation) => void | Promise<void>;
  /** Takes the name of a device that has joined. */
  readonly onJoined?: (name: string) => void;
  /** Takes where the code of the moment is shown; null: no device can join any more. */
  readonly onScreen?: (screen: string | null) => void;
}

/** Nothing waits for a phone that has lost its connection. */
const farewellMs = 2000;

/** A phone that was locked five times in one trial will be locked again. */
const attempts = 5;

/** Measures on devices that join by a code. @throws FarmError */
export async function attend(options: AttendOptions, caller: AttendCaller): Promise<RunResult> {
  const suite = await chooseSuite(options);
  const guests = externalFolders({ jobs: suite.cases.map((one) => ({ case: one })) });
  return withJoined(options, caller, {
    guests,
    use: (joined) => measure(suite, { ...joined, options, caller }),
  });
}

/** Devices that have joined, and the server that reaches them. */
export interface Joined {
  readonly registry: ClientRegistry;
  readonly server: PageServer;
  readonly clients: readonly Client[];
}

/** Lets devices join by a code, and lends them until `use` has ended. @throws FarmError */
export async function withJoined<T>(
  options: DoorOptions,
  caller: AttendCaller,
  {
    use,
    guests = new Map(),
  }: { readonly use: (joined: Joined) => Promise<T>; readonly guests?: ExternalFolders },
): Promise<T> {
  requireLan(options);
  const host = options.lan === undefined ? '127.0.0.1' : lanAddress(options.lan);
  const tls = await openCertificate(options, host);
  const others = listLanAddresses().filter((address) => address !== host);
  if (options.lan === true && others.length > 0) {
    caller.say(
      `Devices join at ${host}. Other addresses of this machine: ${others.join(', ')} (--lan ADDRESS)`,
    );
  }
  const registry = new ClientRegistry({ inviteMs: options.patience, now: () => performance.now() });
  const invitation: { address: string } = { address: '' };
  const invite = {
    secret: randomBytes(16).toString('base64url'),
    show: () => invitationHtml(invitation.address),
  };
  const server = await startPageServer({
    pages: resolve(options.pages),
    port: options.port,
    host,
    tls,
    guests,
    door: (app) =>
      addJoin(app, {
        registry,
        invite,
        visitors: options.visitors,
        insecure: tls === undefined && !isLoopback(host),
      }),
    porch: (app) => addInvitePage(app, invite),
  });
  try {
    // A screen beside the farm shows the code before it trusts anything.
    const screen = `${(server.trust ?? server).origin}/invite/${invite.secret}`;
    caller.onScreen?.(screen);
    const clients = await awaitClients(options, { registry, server, screen, invitation, caller });
    caller.onScreen?.(null);
    return await use({ registry, server, clients });
  } finally {
    caller.onScreen?.(null);
    await settles(registry.end('The farm has ended. Thank you.'), farewellMs);
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
  const elsewhere = chosen.cases.find((one) => findExternalPlace(one)?.place.kind === 'url');
  if (elsewhere === undefined) {
    const measurement = chooseRules(options.measurement, chosen.measurement);
    const trials = options.trials ?? chosen.trials;
    return { ...chosen, isolation: 'page', trials, measurement };
  }
  throw new FarmError('bad-argument', {
    what: `${elsewhere.benchmark.id} is a page at a URL, and the farm cannot look into it on a device that joins.`,
    next: 'Use a copy of it in a folder, or leave it out with --bench.',
  });
}

interface Reception {
  readonly registry: ClientRegistry;
  readonly server: PageServer;
  /** Address of the page that shows the code. */
  readonly screen: string;
  readonly invitation: { address: string };
  readonly caller: AttendCaller;
}

/** One invitation after the other, each for one device. */
async function awaitClients(
  { count, patience }: DoorOptions,
  { registry, server, screen, invitation, caller }: Reception,
): Promise<readonly Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const page = `${server.origin}/join/${registry.invite()}`;
    const { wayTo, fingerprint } = server.trust ?? {};
    const url = wayTo?.(page) ?? page;
    invitation.address = url;
    await caller.onInvitation?.({ url, screen, ...(fingerprint !== undefined && { fingerprint }) });
    const waiting = AbortSignal.any([caller.signal, AbortSignal.timeout(patience)]);
    const client = await registry.nextClient(waiting).catch((error: unknown) => {
      throw caller.signal.aborted ? interrupted() : nobodyCame(error);
    });
    clients.push(client);
    caller.onJoined?.(client.name);
  }
  return clients;
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
    next: `Begin again: ${npxCrossfarm} devices attend`,
  });
}

interface Meeting extends Joined {
  readonly options: AttendOptions;
  readonly caller: AttendCaller;
}

async function measure(suite: Suite, meeting: Meeting): Promise<RunResult> {
  const { options, registry, server, clients, caller } = meeting;
  const { presences, driverOf } = attendedDevices(clients, registry);
  const plan = makePlan({
    ...suite,
    blocks: suite.trials,
    seed: options.seed ?? randomInt(2 ** 32),
    presences,
    arms: crossArms(presences, suite.cases),
  });
  const order = {
    suite: suite.id,
    command: commandOf(options, plan),
    options,
    lent: { server, driverOf, limits: joinedLimits(options) },
  };
  const listener = withProgress(caller.listener ?? {}, registry);
  return executePlan(plan, order, { ...caller, listener });
}

/** A device may be away for as long as there is patience. */
export function joinedLimits({ patience }: Pick<DoorOptions, 'patience'>): Partial<Limits> {
  return { launchMs: patience, attempts };
}

/** The same events, and the screens of the devices know how far the run is. */
export function withProgress(listener: RunListener, registry: ClientRegistry): RunListener {
  return {
    ...listener,
    onRunStarted(event) {
      registry.progress = { done: 0, planned: event.plan.jobs.length };
      listener.onRunStarted?.(event);
    },
    onTrialEnded(event) {
      registry.progress = { ...registry.progress, done: registry.progress.done + 1 };
      listener.onTrialEnded?.(event);
    },
  };
}

function commandOf(options: AttendOptions, plan: Plan): string {
  const { suite, bench, param, lan, count } = options;
  return [
    `${npxCrossfarm} devices attend`,
    suite === undefined ? '' : `--suite ${suite}`,
    bench.length > 0 ? `--bench ${bench.join(',')}` : '',
    ...parameterArguments(param),
    `--trials ${String(plan.blocks)}`,
    count === 1 ? '' : `--count ${String(count)}`,
    lan === undefined ? '' : '--lan',
    ...readCircumstances(options),
    `--seed ${String(plan.seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * The address for a page, with a code that a phone can scan if it can open the address. It has no
 * character that HTML knows.
 */
async function invitationHtml(address: string): Promise<string> {
  const link = `<p><a href="${address}">${address}</a></p>`;
  if (isLoopback(new URL(address).hostname)) {
    return `${link}\n<p>Only a browser of this machine can open it. For a phone, add <code>--lan</code> to the command.</p>`;
  }
  const { toString } = await import('qrcode');
  const svg = await toString(address, { type: 'svg', width: 320, margin: 2 });
  return `${svg}\n${link}`;
}
