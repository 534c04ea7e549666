import {
  type Driver,
  DriverError,
  type Input,
  type LaunchOptions,
  type OpenOptions,
  type RemoteShell,
  type Session,
  type SiteAccess,
} from '../../../drivers/driver.ts';
import {
  type Device,
  type GridNode,
  findHost,
  describeAbsence,
  isElsewhere,
  pickPlace,
  isOldNode,
  type Target,
} from '../model/device.ts';
import { inheritedFrom } from '../model/environment-variables.ts';
import { SessionCgroup } from './cgroup.ts';
import { chromiumsUser } from './chromium-sandbox.ts';
import { memoryBound } from './confinement-limits.ts';
import { confine, type Confinement, confinementVariable, whyNoConfinement } from './confinement.ts';
import { farmMark, farmVariable } from './farm-mark.ts';
import { lendStartup } from './firefox-startup.ts';
import { pinnedExecutable } from './pinning.ts';
import { type EndingRules, ProcessTree, sessionVariable } from './process-tree.ts';
import {
  recordOrphan,
  makeSessionDirectory,
  removeSessionDirectory,
  type SessionDirectory,
  xdgFolders,
  fitsSockets,
} from './session-directory.ts';
import { settles, Teardown } from './teardown.ts';

/** One live browser with its whole process tree, from launch to close. */
export interface LiveSession {
  readonly id: string;
  /** As the live browser reported it; null when the driver cannot ask. */
  readonly browserVersion: string | null;
  /** Where it landed, in a Selenium Grid. */
  readonly node?: GridNode;
  /** Why probes of this machine see nothing of the browser; left out where they do. */
  readonly unseen?: string;
  /** Resolves with a sentence when browser or page dies without having been asked to. */
  readonly ended: Promise<string>;
  /** @throws DriverError, or the signal's reason. */
  open(url: string, options: OpenOptions): Promise<void>;
  /** Leads the open page to another URL; left out where the driver cannot. @throws as `open`. */
  readonly navigate?: NonNullable<Session['navigate']>;
  /** Evaluates an expression in the page; left out where the driver cannot look into it. */
  readonly evaluate?: (expression: string) => Promise<unknown>;
  /** Gives the page input of a person; left out where the driver cannot. */
  readonly act?: (input: Input) => Promise<void>;
  /** Begins a trace of pages that share the browser; left out where the driver cannot. */
  readonly trace?: NonNullable<Session['trace']>;
  /** A secret that the requests of its pages carry; left out where no other browser can reach the server. */
  readonly client?: string;
  /** What its page told of how it draws (`Session.drawing`); left out where it tells nothing. */
  readonly drawing?: NonNullable<Session['drawing']>;
  /** Shell by which a remote browser can be watched; left out without one. */
  readonly shell?: RemoteShell;
  /**
   * Says that browser or page hang, so that `close` asks them no longer than it takes to be heard; left
   * out where the browser was not started on this machine, and is ended by nothing but asking.
   */
  readonly giveUp?: () => void;
  /** Pids of the whole process tree, found now: some 10 ms of work, never inside a timed window. */
  processTree(): readonly number[];
  /**
   * Ends the browser, by force if need be, and removes everything that it wrote. A browser that
   * hangs or refuses does not fail the session; may be called again.
   * @throws an Error when something was left behind in spite of all.
   */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Where sessions keep their profiles while they live. */
  readonly directory: string;
  /** The X display to use, asked for only when one is needed. */
  readonly display: () => Promise<string>;
  /** Absolute path of what a runtime runs in place of a page, or of the bridge to a program. */
  readonly script?: string;
  readonly signal: AbortSignal;
  /** For the launch, in milliseconds. */
  readonly timeoutMs: number;
  /** The access for the browser at the site of its page; nothing is needed when left out. */
  readonly access?: SiteAccess;
  /** Its pages are opened with a script that comes first. */
  readonly first?: true;
  /** Where the browser writes its own trace when it ends; left out when not wanted. */
  readonly trace?: string;
  /** The trace is for a profile. */
  readonly stacks?: true;
  /** How long a browser that was asked to close may take before its processes are ended; 5000, or 60000 with a trace. */
  readonly closeMs?: number;
  /** How long those may take to end; as `ProcessTree.end` has it when left out. */
  readonly ending?: EndingRules;
}

/** How long one that hangs is asked to close, and how its processes are ended after that: it answers nothing. */
const heardMs = 300;
const endingOfHung: EndingRules = { politeMs: 300, forcedMs: 5_000 };

/** How long a live browser may take to report its version and processes. */
const askMs = 5000;

/**
 * Launches a target's browser in its own directory. A launch that fails leaves nothing behind.
 * @throws DriverError, the error of `display`, or the signal's reason.
 */
export async function startSession(
  target: Target,
  driver: Driver,
  options: SessionOptions,
): Promise<LiveSession> {
  const teardown = new Teardown();
  try {
    return await setUp(target, driver, { options, teardown });
  } catch (error) {
    throw withLeftovers(error, await teardown.run());
  }
}

interface SetUp {
  readonly options: SessionOptions;
  readonly teardown: Teardown;
}

async function setUp(
  target: Target,
  driver: Driver,
  { options, teardown }: SetUp,
): Promise<LiveSession> {
  options.signal.throwIfAborted();
  const place = await makeSessionDirectory(options.directory);
  teardown.add(() => removeSessionDirectory(place));
  const ending = { isClosed: false, hangs: false };
  const keepStartup = await lendStartup(target, place.profile);
  teardown.add(() => ending.isClosed && keepStartup());

  const display = needsDisplay(target, driver) ? await options.display() : null;
  const tree = new ProcessTree({
    roots: [],
    mark: `${sessionVariable}=${place.id}`,
    profile: place.profile,
  });
  // Taken back after the tree, which is ended politely first; the group knows what the tree lost.
  const group = SessionCgroup.make(place.id);
  if (group !== null) teardown.add(() => group.end());
  teardown.add(() => endTree(tree, target.device.id, ending.hangs ? endingOfHung : options.ending));

  const user = await chromiumsUser(target, place);
  const executable = await executableOf({ ...target, executable: user.executable }, place);
  const confinement = await confinementOf(target, { place, executable, script: options.script });
  if (confinement !== null) {
    teardown.add(() => confinement.close());
    group?.boundMemory(memoryBound());
  }
  const launch = launchOptions(
    { ...target, executable },
    { place, display, options, confinement, sandbox: user.sandbox },
  );
  const session = await launchIn(place, () => driver.launch(launch));
  teardown.add(async () => {
    ending.isClosed = await closes(session, ending.hangs ? heardMs : patienceOf(options));
  });

  tree.addRoots((await answer(session.processes())) ?? []);
  group?.take(tree.find().map(({ pid }) => pid));
  const browserVersion = (await answer(session.version())) ?? null;
  const unseen = unseenBecause(target, driver);
  return {
    id: place.id,
    browserVersion,
    ...unseen,
    ...(unseen.unseen === undefined && { giveUp: () => void (ending.hangs = true) }),
    ended: session.ended,
    open: (url, bounds) => {
      confinement?.reach(url);
      return session.open(url, bounds);
    },
    ...lendPage(session, (url) => confinement?.reach(url)),
    ...pickJoined(session),
    ...(session.node !== undefined && { node: session.node }),
    ...(session.shell !== undefined && { shell: session.shell }),
    processTree: () => tree.find().map(({ pid }) => pid),
    close: async () => {
      const failure = await teardown.run();
      if (failure !== null) throw failure;
    },
  };
}

/** Takes what only the session of a browser that joined has. */
function pickJoined({ client, drawing }: Session): Pick<LiveSession, 'client' | 'drawing'> {
  return { ...(client !== undefined && { client }), ...(drawing !== undefined && { drawing }) };
}

function lendPage(
  session: Session,
  reach: (url: string) => void,
): Pick<LiveSession, 'navigate' | 'evaluate' | 'act' | 'trace'> {
  return {
    ...(session.navigate && {
      navigate: async (url, bounds) => {
        reach(url);
        await session.navigate?.(url, bounds);
      },
    }),
    ...(session.evaluate && { evaluate: async (expression) => session.evaluate?.(expression) }),
    ...(session.act && { act: async (input) => session.act?.(input) }),
    ...(session.trace && { trace: session.trace.bind(session) }),
  };
}

function unseenBecause(
  { device, executable }: Target,
  driver: Driver,
): Pick<LiveSession, 'unseen'> {
  if (driver.joins)
    return { unseen: 'the farm did not start the browser, and looks into no other' };
  const isHere = !isElsewhere(device) && executable !== '';
  return isHere ? {} : { unseen: describeAbsence(device) };
}

function executableOf({ device, executable }: Target, { path }: SessionDirectory): Promise<string> {
  if (device.cores === undefined) return Promise.resolve(executable);
  if (executable === '' || device.remote !== undefined) {
    throw new DriverError('not-supported', `${device.id} is not here: its cores cannot be chosen`);
  }
  return pinnedExecutable(executable, { cores: device.cores, directory: path });
}

interface LaunchPlace {
  readonly place: SessionDirectory;
  /** Perhaps a script that starts the target's own. */
  readonly executable: string;
  readonly script: string | undefined;
}

/** Browsers have their own sandboxes. Null also where the owner, or this machine, wants none. */
function confinementOf(
  { device, executable: own }: Target,
  { place, executable, script }: LaunchPlace,
): Promise<Confinement | null> {
  const isWanted =
    findHost(device.browser) !== 'browser' && device.environment[confinementVariable] !== 'no';
  if (!isWanted || script === undefined || whyNoConfinement() !== null) {
    return Promise.resolve(null);
  }
  const { browser } = device;
  return confine({ place, browser, executables: [own, executable], script });
}

/** A browser whose sockets find no room in the path of its folder ends without a word of it. */
async function launchIn<T>({ temporary }: SessionDirectory, launch: () => Promise<T>): Promise<T> {
  try {
    return await launch();
  } catch (error) {
    if (!(error instanceof DriverError) || fitsSockets(temporary)) throw error;
    const why = `its folder for temporary files, ${temporary}, may be too long for a socket in it: set TMPDIR to a shorter one, such as /tmp`;
    throw new DriverError(error.code, `${error.message}; ${why}`, error);
  }
}

/** Firefox was seen to take some seconds for the profile of one trial, on a busy machine longer. */
function patienceOf({ closeMs, trace }: SessionOptions): number {
  return closeMs ?? (trace === undefined ? 5000 : 60_000);
}

function needsDisplay({ device, executable }: Target, driver: Driver): boolean {
  const isHere = !isElsewhere(device) && executable !== '';
  if (process.platform !== 'linux' || !isHere) return false;
  return !device.headless || !driver.capabilities(device.browser).headless.supported;
}

interface LaunchParts {
  readonly place: SessionDirectory;
  readonly display: string | null;
  readonly options: SessionOptions;
  readonly confinement: Confinement | null;
  /** True if Chromium's own would work here. */
  readonly sandbox: boolean;
}

function launchOptions(
  { device, browser, executable, server }: Target,
  { place, display, options, confinement, sandbox }: LaunchParts,
): LaunchOptions {
  return {
    browser: device.browser,
    executable,
    ...(server !== undefined && { server }),
    ...pickPlace(device),
    ...(options.script !== undefined && { script: options.script }),
    ...(isOldNode(browser) && { isTooOld: true }),
    ...(confinement !== null && { within: confinement.command }),
    flags: device.flags,
    preferences: device.preferences,
    ...(options.access !== undefined && { access: options.access }),
    ...(options.first && { first: options.first }),
    headless: device.headless,
    // A remote one is switched off there, or in flags.
    sandbox: device.remote !== undefined || sandbox,
    environment: makeEnvironment(process.env, { device, place, display }),
    profile: place.profile,
    remember: (orphan) => recordOrphan(place, orphan),
    ...(options.trace !== undefined && { trace: options.trace }),
    ...(options.stacks && { stacks: true }),
    signal: options.signal,
    timeoutMs: options.timeoutMs,
  };
}

/** A browser that does not tell is measured all the same; one that died is found by `ended`. */
async function answer<T>(question: Promise<T>): Promise<T | null> {
  return (await settles(question, askMs)) ? question.catch(() => null) : null;
}

/** True if it closed by itself, and in time. */
async function closes(session: Session, patienceMs: number): Promise<boolean> {
  const closed = closeQuietly(session);
  return (await settles(closed, patienceMs)) && closed;
}

/** Asynchronous, so that a driver that throws at once is one that refuses. */
async function closeQuietly(session: Session): Promise<boolean> {
  try {
    await session.close();
    return true;
  } catch {
    return false;
  }
}

async function endTree(tree: ProcessTree, deviceId: string, rules?: EndingRules): Promise<void> {
  const survivors = await tree.end(rules);
  if (survivors.length === 0) return;
  const pids = survivors.map(({ pid }) => String(pid)).join(', ');
  throw new DriverError('browser-died', `${deviceId} left processes that do not end: ${pids}`);
}

/** The first error, with what the session left behind. */
function withLeftovers(error: unknown, leftover: Error | null): unknown {
  if (leftover === null || !(error instanceof DriverError)) return error;
  return new DriverError(error.code, `${error.message}; moreover, ${leftover.message}`, error);
}

interface EnvironmentParts {
  readonly device: Device;
  readonly place: SessionDirectory;
  /** Null when the browser needs none. */
  readonly display: string | null;
}

/** The complete environment of a session's browser. The settings of `devices.json` win. */
function makeEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  { device, place, display }: EnvironmentParts,
): Readonly<Record<string, string>> {
  return {
    ...inheritedFrom(inherited),
    ...xdgFolders(place),
    TMPDIR: place.temporary,
    ...(display !== null && { DISPLAY: display }),
    ...device.environment,
    [sessionVariable]: place.id,
    [farmVariable]: farmMark(),
  };
}
