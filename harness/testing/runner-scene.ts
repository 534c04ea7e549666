import { DriverError } from '../../drivers/driver.ts';
import type { Assignment } from '../../pages/protocol.d.ts';
import type { Job, Plan } from '../core/model/plan.ts';
import type { Trial } from '../core/model/trial.ts';
import { defaultLimits } from '../core/run/limits.ts';
import { OwnClock } from '../core/run/own-clock.ts';
import { runPlan, type Equipment } from '../core/run/runner.ts';
import type { PageServer } from '../core/server/page-server.ts';
import {
  isBegunByFarm,
  type PageOutcome,
  type WindowListener,
} from '../core/server/trial-registry.ts';
import type { LiveSession } from '../core/session/session.ts';
import { aJob, aResult, aSteadyState } from './builders.ts';

/** The behaviour of the next trial's page; the last one repeats. */
export type PageScript =
  | 'completes'
  | 'posts another unit'
  | 'posts an hour'
  | 'stalls'
  | 'throws'
  | 'says nothing'
  | 'never loads'
  | 'dies'
  | 'refuses to open'
  | 'hangs while it is opened';

interface Scene {
  readonly log: string[];
  readonly equipment: Equipment;
  readonly controller: AbortController;
}

const answers: ReadonlySet<PageScript> = new Set([
  ...(['completes', 'throws'] as const),
  ...(['posts another unit', 'posts an hour', 'stalls'] as const),
]);

const hanging: ReadonlySet<PageScript> = new Set(['says nothing', 'never loads']);
const atOnce = { loadMs: 40, trialMs: 40 };

/** Makes a runner's equipment in which each page follows its script, with a log of the calls. */
export function aScene(scripts: readonly PageScript[], changes: Partial<Equipment> = {}): Scene {
  const controller = new AbortController();
  const play: Play = { log: [], scripts, page: -1 };
  // Hanging pages time out at once; others meet no deadline, however busy the machine is.
  const deadline = scripts.some((script) => hanging.has(script)) ? atOnce : {};
  const limits = { ...defaultLimits, ...deadline, restMs: 0 };
  const equipment = {
    server: aPageServer(play),
    probes: [],
    startSession: () => Promise.resolve(aSession(play)),
    limits,
    listener: {},
    signal: controller.signal,
    ...changes,
  };
  return { log: play.log, controller, equipment };
}

interface Play {
  readonly log: string[];
  readonly scripts: readonly PageScript[];
  /** The last issued page; -1 before the first. */
  page: number;
}

function scriptOf({ scripts, page }: Play): PageScript {
  return scripts[Math.min(page, scripts.length - 1)] ?? 'completes';
}

function aPageServer(play: Play): PageServer {
  return {
    origin: 'http://test',
    originOf: () => Promise.resolve('http://own'),
    serves: () => false,
    issue(path, assignment, listener) {
      play.page += 1;
      const now = scriptOf(play);
      play.log.push(`issue ${path} ${JSON.stringify(assignment.parameters)}`);
      const begun = now === 'never loads' ? (never() as Promise<void>) : Promise.resolve();
      return {
        url: `http://test/${String(play.page)}`,
        begun,
        outcome: answers.has(now)
          ? aMomentAfter(begun).then(() => outcomeOf(now, { listener, assignment }))
          : never(),
        revoke: () => play.log.push('revoke'),
      };
    },
    close: () => Promise.resolve(),
  };
}

interface Speaking {
  readonly listener: WindowListener;
  readonly assignment: Assignment;
}

function outcomeOf(now: PageScript, { listener, assignment }: Speaking): PageOutcome {
  if (now === 'throws') return { kind: 'error', error: { phase: 'timed', message: 'boom' } };
  if (!isBegunByFarm(assignment)) {
    listener.attach?.();
    listener.onStart();
  }
  listener.onEnd();
  if (now === 'posts another unit') {
    const samples = [{ metric: 'duration', unit: 's', warmUp: [], timed: [1] }];
    return { kind: 'result', result: aResult([], { samples }) };
  }
  if (now === 'posts an hour') return { kind: 'result', result: aResult([3_600_000]) };
  if (now === 'stalls') return { kind: 'result', result: aResult([5, 5, 5, 9_000, 5]) };
  const reference = { windowMs: 1, rounds: 1, roundNs: 1 };
  const timed = [1, 2, 3, 1, 2, 3, 1, 2, 3];
  return {
    kind: 'result',
    result: aResult(timed, { steadyState: aSteadyState({ reference }) }),
  };
}

function aSession(play: Play): LiveSession {
  const { log, scripts, page } = play;
  log.push('launch');
  return {
    id: 's',
    browserVersion: '9.9',
    ended:
      scriptOf(play) === 'dies' || scripts[page + 1] === 'dies'
        ? Promise.resolve('the browser was killed')
        : never(),
    open: (_, { timeoutMs }) => {
      log.push('open');
      if (scriptOf(play) === 'hangs while it is opened') return tooLong(timeoutMs);
      return scriptOf(play) === 'refuses to open'
        ? Promise.reject(new DriverError('navigation-failed', 'no route'))
        : Promise.resolve();
    },
    giveUp: () => log.push('give up'),
    processTree: () => [],
    close: () => {
      log.push('close');
      return Promise.resolve();
    },
  };
}

/** The page marks its window only some time after its load, as over a real network. */
async function aMomentAfter(begun: Promise<void>): Promise<void> {
  await begun;
  await new Promise((resolve) => setImmediate(resolve));
}

/** As a driver gives a page up. */
async function tooLong(ms: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  throw new DriverError('timed-out', 'Opening a page took too long');
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Of a farm that saw no window: these pages take no time for theirs. */
export class NoClock extends OwnClock {
  override get facts() {
    return { windowMs: null, gapMs: 0 };
  }
}

export async function collect(plan: Plan, equipment: Equipment): Promise<Trial[]> {
  const trials: Trial[] = [];
  for await (const trial of runPlan(plan, equipment)) trials.push(trial);
  return trials;
}

/** Makes one trial of one case in each block. */
export function aJobInEachBlock(count: number, deviceId = 'one'): Job[] {
  return Array.from({ length: count }, (_, ordinal) => aJob({ ordinal, block: ordinal, deviceId }));
}
