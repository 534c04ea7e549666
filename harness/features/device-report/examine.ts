import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { besideTrace, type Driver } from '../../../drivers/driver.ts';
import type { TrialResult } from '../../../pages/protocol.d.ts';
import type { OpenEquipment } from '../../core/app/run/equipment.ts';
import { errorText } from '../../core/errors.ts';
import type { Capability, FoundDevice, Target } from '../../core/model/device.ts';
import { describeRasteriser } from '../../core/model/display.ts';
import { within } from '../../core/run/deadline.ts';
import { askDisplay } from '../../core/run/display-watch.ts';
import { findLimits } from '../../core/run/limits.ts';
import type { RunnerSession } from '../../core/run/session-keeper.ts';
import type { DeviceCheck, PageFacts } from './device-report.ts';
import {
  expectFirst,
  expectThat,
  first,
  tryDialogs,
  tryEvaluate,
  tryInput,
} from './page-commands.ts';
import { readFacts } from './page-facts.ts';
import { type OpenPage, visitPage } from './visit-page.ts';

/** Takes what an examination finds, as it finds it: it may end at any time. */
export interface Findings {
  readonly onCheck: (check: DeviceCheck) => void;
  readonly onPage: (facts: PageFacts) => void;
}

/** A driver has noticed by then that its browser died. */
const deathMs = 15_000;

/**
 * Tries every ability of a device's driver, and what its browser can do, in up to four sessions.
 * @throws the signal's reason when aborted; a failure is a finding.
 */
export async function examineDevice(
  presence: FoundDevice,
  { driver, equipment, findings }: Tools,
): Promise<void> {
  await new Examination(presence, { driver, equipment, findings }).run();
}

interface Tools {
  readonly driver: Driver;
  readonly equipment: OpenEquipment;
  readonly findings: Findings;
}

type Work = () => Promise<string | undefined>;

class Examination {
  readonly #presence: FoundDevice;
  readonly #equipment: OpenEquipment;
  readonly #findings: Findings;
  readonly #limits: ReturnType<typeof findLimits>;
  /** Names of what was tried. */
  readonly #tried = new Set<string>();
  readonly #joins: boolean;

  constructor(presence: FoundDevice, { driver, equipment, findings }: Tools) {
    this.#presence = presence;
    this.#joins = driver.joins === true;
    this.#equipment = equipment;
    this.#findings = findings;
    this.#limits = findLimits(presence.device, equipment.limits);
  }

  async run(): Promise<void> {
    const { device } = this.#presence;
    if (device.phone !== undefined) await this.#try('ready', () => this.#waitUntilReady());
    const session = await this.#start('launch', {});
    if (session !== null) {
      await this.#examine(session).catch(async (error: unknown) => {
        await session.close();
        throw error;
      });
      await this.#try('close', () => close(session));
      await this.#examineSettings();
      await this.#examineDeath();
    }
    this.#leaveOut(
      session === null ? 'the browser was not started' : 'the report has no test of it',
    );
  }

  async #examine(session: RunnerSession): Promise<void> {
    const { browserVersion, evaluate, act } = session;
    const { headless } = this.#presence.device;
    if (headless) await this.#tryIf('headless', () => Promise.resolve('no window was asked for'));
    await this.#tryIf('liveVersion', () => {
      if (browserVersion === null) throw new Error('it gives no version');
      return Promise.resolve(browserVersion);
    });
    const results: TrialResult[] = [];
    await this.#try('page', async () => {
      results.push(await this.#visit(session));
      return undefined;
    });
    const [result] = results;
    if (result === undefined) return;
    await this.#tell(result, session);
    const { signal } = this.#equipment;
    if (evaluate === undefined) {
      await this.#tryIf('evaluate', () =>
        Promise.reject(new Error('its session looks into no page')),
      );
    } else {
      const commands = { evaluate, act, signal };
      await this.#tryIf('evaluate', () => tryEvaluate(commands));
      await this.#tryIf('input', () => tryInput(commands));
      await this.#tryIf('dialogs', () => tryDialogs(commands));
    }
    await this.#tryIf('freshPage', async () => {
      const before = session.processTree();
      const { counters } = await this.#visit(session);
      const after = session.processTree();
      const isOther = before.length > 0 && !before.some((pid) => after.includes(pid));
      expectThat(!isOther, 'another browser was started for the second page');
      // The pages of a device that joined are frames of one tab.
      const isFresh = this.#joins || counters['fresh'] !== 0;
      return expectThat(isFresh, 'the second page has the storage of the first');
    });
    if (evaluate !== undefined) {
      await this.#tryIf('firstScript', async () => {
        await this.#visit(session, (url, bounds) => session.open(url, { ...bounds, first }));
        return expectFirst({ evaluate, act, signal });
      });
    }
    const { navigate } = session;
    if (navigate === undefined) return;
    await this.#try('navigate', async () => {
      await this.#visit(session, navigate);
      return undefined;
    });
  }

  #visit(session: RunnerSession, open?: OpenPage): Promise<TrialResult> {
    const { server, signal } = this.#equipment;
    return visitPage(session, { server, signal, limits: this.#limits, open });
  }

  /** Preferences and traces are settings of a launch: each gets a separate session. */
  async #examineSettings(): Promise<void> {
    const { target, device } = this.#presence;
    if (device.browser === 'firefox' && this.#declares('preferences')) {
      await this.#try('preferences', () => {
        const preferences = { ...device.preferences, 'general.useragent.override': userAgent };
        return this.#inSession(
          { target: { ...target, device: { ...device, preferences } } },
          async (session) => {
            const { host } = await this.#visit(session);
            return expectThat(host.userAgent === userAgent, `seen "${host.userAgent}"`);
          },
        );
      });
    }
    if (this.#declares('trace')) await this.#try('trace', () => this.#writeTrace());
  }

  async #writeTrace(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crossfarm-report-'));
    const path = join(folder, 'trace.json');
    try {
      await this.#inSession({ wish: { trace: { path } } }, async (session) => {
        await this.#visit(session);
        return undefined;
      });
      const why = await readFile(besideTrace(path).why, 'utf8').catch(() => null);
      if (why !== null) throw new Error(why);
      const text = await readFile(path, 'utf8').catch(() => {
        throw new Error('no trace was written');
      });
      JSON.parse(text);
      return `${String(Math.ceil(text.length / 1024))} KiB`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Ends the browser as the system would, and waits for the driver to notice. */
  async #examineDeath(): Promise<void> {
    await this.#tryIf('noticesDeath', () =>
      this.#inSession({}, async (session) => {
        await this.#visit(session);
        const pids = session.unseen === undefined ? session.processTree() : [];
        if (pids.length === 0) throw new NotTried('its processes are not seen from here');
        for (const pid of pids) kill(pid);
        const { signal } = this.#equipment;
        return within(session.ended, { what: 'The end of the browser', ms: deathMs, signal });
      }),
    );
  }

  async #inSession(
    { target = this.#presence.target, wish }: SessionOrder,
    work: (session: RunnerSession) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const session = await this.#equipment.startSession(target, wish);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  }

  async #start(name: string, { target, wish }: SessionOrder): Promise<RunnerSession | null> {
    let session: RunnerSession | null = null;
    const first = this.#declares('firstScript') ? ({ first: true } as const) : {};
    await this.#try(name, async () => {
      const wanted = { ...first, ...wish };
      session = await this.#equipment.startSession(target ?? this.#presence.target, wanted);
      return undefined;
    });
    return session;
  }

  async #waitUntilReady(): Promise<string | undefined> {
    let waited: string | undefined;
    await this.#equipment.makeReady?.(this.#presence.target, ({ why }) => {
      waited = `waited: ${why}`;
    });
    return waited;
  }

  /** Adds the abilities of the page, which no driver declares. */
  async #tell(result: TrialResult, session: RunnerSession): Promise<void> {
    const { facts, checks } = readFacts(result);
    const display = await askDisplay(session, this.#presence);
    const drawnBy = display === null ? null : describeRasteriser(display);
    this.#findings.onPage({ ...facts, drawnBy });
    for (const check of checks) this.#add(check);
  }

  #declares(name: string): boolean {
    return this.#find(name)?.supported === true;
  }

  #find(name: string): Capability | undefined {
    return this.#presence.capabilities.find((one) => one.name === name);
  }

  async #tryIf(name: string, work: Work): Promise<void> {
    if (this.#declares(name)) await this.#try(name, work);
  }

  /** @returns true if it works */
  async #try(name: string, work: Work): Promise<boolean> {
    const { signal } = this.#equipment;
    signal.throwIfAborted();
    const began = performance.now();
    const base = { name, declared: true };
    const ms = (): number => Math.round(performance.now() - began);
    try {
      const detail = await work();
      this.#add({ ...base, seen: 'works', ...(detail !== undefined && { detail }), ms: ms() });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const seen = error instanceof NotTried ? 'not tried' : 'fails';
      this.#add({ ...base, seen, detail: errorText(error), ...(seen === 'fails' && { ms: ms() }) });
      return false;
    }
  }

  #add(check: DeviceCheck): void {
    this.#tried.add(check.name);
    this.#findings.onCheck(check);
  }

  /** Adds the capabilities that were not tried, with the reason. */
  #leaveOut(because: string): void {
    for (const { name, supported, because: declared } of this.#presence.capabilities) {
      if (this.#tried.has(name)) continue;
      const detail = supported ? because : (declared ?? because);
      this.#add({ name, declared: supported, seen: 'not tried', detail });
    }
  }
}

interface SessionOrder {
  readonly target?: Target;
  readonly wish?: Parameters<OpenEquipment['startSession']>[1];
}

/** Thrown where an ability cannot be tried, which is different from a failure. */
class NotTried extends Error {}

/** A preference whose effect a page sees. */
const userAgent = 'crossfarm device report';

async function close(session: RunnerSession): Promise<undefined> {
  await session.close();
  return undefined;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // One of them may have ended with another.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
