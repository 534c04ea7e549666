import { writeFile } from 'node:fs/promises';
import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type OpenOptions,
  type Session,
} from '../driver.ts';
import { runStep, watchEnding, type Ending } from '../shared/step.ts';

/** Values of one metric that a fake page posts. */
export interface FakeMetric {
  readonly metric: string;
  readonly unit: string;
  readonly warmUp?: readonly number[];
  readonly timed: readonly number[];
}

/** The part of an assignment that a script may look at. */
export interface FakeAssignment {
  readonly benchmark: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly measurement: {
    readonly iterations: number;
    readonly window?: { readonly ms: number };
  };
  /** Questions to a page that is not ours. */
  readonly guest?: {
    readonly metrics: readonly (Pick<FakeMetric, 'metric' | 'unit'> & {
      readonly reader: FakeReader;
    })[];
    readonly discover?: readonly FakeReader[];
    readonly begin?: string;
  };
}

/** How a number of a page that is not ours is read. */
export interface FakeReader {
  readonly by: string;
  readonly name?: string;
  readonly expression?: string;
  readonly key?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Behaviour of a fake page in its trial. */
export type FakeTrial =
  | {
      readonly does: 'completes';
      readonly metrics:
        readonly FakeMetric[] | ((assignment: FakeAssignment) => readonly FakeMetric[]);
      /** Replaces fields of the posted result: counters, clock, steadiness … */
      readonly result?: Fields | ((assignment: FakeAssignment) => Fields);
      /** Events inside the timed window; it ends when that does. */
      readonly work?: (assignment: FakeAssignment) => Promise<void>;
    }
  | { readonly does: 'reports-error'; readonly phase: string; readonly message: string }
  /** Loads, and never asks for its assignment. */
  | { readonly does: 'stays-silent' }
  /** Takes its assignment, and sends nothing after that. */
  | { readonly does: 'hangs' }
  /** Posts this text as its result. */
  | { readonly does: 'posts'; readonly body: string }
  /** Posts a result of this many bytes. */
  | { readonly does: 'posts-much'; readonly bytes: number }
  /** The browser dies, before the page has its assignment or inside the timed window. */
  | { readonly does: 'dies'; readonly when: 'loading' | 'timed' };

export interface FakeOccasion {
  /** Browsers that this driver has launched, this one included. */
  readonly launched: number;
  /** Pages that this driver has opened, this one included. */
  readonly opened: number;
  readonly url: string;
}

/** Behaviour of a fake browser; parts that are left out work. */
export interface FakeScript {
  readonly launch?: 'works' | 'fails' | 'hangs';
  readonly open?: 'works' | 'fails' | 'hangs';
  readonly close?: 'works' | 'fails' | 'hangs';
  readonly trial?: FakeTrial | ((occasion: FakeOccasion) => FakeTrial);
  readonly version?: string;
  /** The page's answer; when left out it parses JSON, the one JavaScript that needs no engine. */
  readonly evaluate?: (expression: string) => unknown;
  readonly processes?: readonly number[];
  readonly capabilities?: Partial<Capabilities>;
  /** Content of the trace that is written when the browser closes, or after a page; null writes none. */
  readonly trace?: string | null | ((assignment: FakeAssignment) => string);
}

export interface FakeDriver extends Driver {
  /** Events, in order: `launch`, `open <path>`, `post result 200`, `close` … */
  readonly events: readonly string[];
  /** Options of each launch, in order. */
  readonly launches: readonly LaunchOptions[];
}

const fakeAbilities: Capabilities = {
  evaluate: can,
  input: cannot('a browser without a screen has nothing to click on'),
  dialogs: cannot('a page that is only played shows no dialog'),
  firstScript: cannot('a page that is only played has no scripts'),
  freshPage: can,
  liveVersion: can,
  headless: can,
  preferences: can,
  noticesDeath: can,
  trace: can,
};

/**
 * A driver without a browser: its page plays the trial protocol over HTTP as the script says.
 * Its clock goes on by the times that its pages post, and it has no chance in it, so a test that uses it always sees the same.
 */
export function fakeDriver(script: FakeScript = {}): FakeDriver {
  const events: string[] = [];
  const launches: LaunchOptions[] = [];
  const counts = { launched: 0, opened: 0, inventedMs: 0 };
  const launch = async (options: LaunchOptions): Promise<Session> => {
    launches.push(options);
    counts.launched += 1;
    events.push('launch');
    await behave(script.launch, 'launch-failed', 'The fake browser was told not to start');
    return startFake(script, { events, counts, trace: options.trace });
  };
  return {
    name: 'fake',
    serves: ['chromium', 'chrome', 'edge', 'firefox', 'webkit', 'webkitgtk', 'safari', 'program'],
    capabilities: () => ({ ...fakeAbilities, ...script.capabilities }),
    launch: (options) =>
      runStep(() => launch(options), {
        what: 'Launching the fake browser',
        code: 'launch-failed',
        signal: options.signal,
        timeoutMs: options.timeoutMs,
      }),
    now: () => performance.now() + counts.inventedMs,
    events,
    launches,
  };
}

async function behave(
  how: 'works' | 'fails' | 'hangs' | undefined,
  code: 'launch-failed' | 'navigation-failed' | 'browser-died',
  message: string,
): Promise<void> {
  if (how === 'fails') throw new DriverError(code, message);
  if (how === 'hangs') await new Promise(() => undefined);
}

interface Stage {
  readonly events: string[];
  readonly counts: { launched: number; opened: number; inventedMs: number };
  readonly trace: string | undefined;
}

function startFake(script: FakeScript, stage: Stage): Session {
  const ending = watchEnding();
  let page = new AbortController();
  let assigned: FakeAssignment | undefined;
  const load = async (url: string): Promise<void> => {
    page.abort();
    page = new AbortController();
    const { signal } = page;
    stage.events.push(`open ${new URL(url).pathname}`);
    stage.counts.opened += 1;
    await behave(script.open, 'navigation-failed', 'The fake page was told not to open');
    const answer = await fetch(url, { signal, headers: once });
    const token = tokenIn(await answer.text(), url);
    const trial = trialFor(script, { ...stage.counts, url });
    const spend = (ms: number): void => {
      stage.counts.inventedMs += ms;
    };
    const take = (assignment: FakeAssignment): void => {
      assigned = assignment;
    };
    void playTrial(trial, { url, token, signal, ending, spend, take, events: stage.events });
  };
  return {
    ended: ending.ended,
    open: (url: string, bounds: OpenOptions) =>
      runStep(() => load(url), {
        what: 'Opening a fake page',
        code: 'navigation-failed',
        ...bounds,
      }),
    version: () => Promise.resolve(script.version ?? '1.0'),
    processes: () => Promise.resolve(script.processes ?? []),
    evaluate: (expression) => Promise.resolve(answer(script, expression)),
    trace: ({ trace }) => Promise.resolve(() => writeTrace(script, { trace, assigned })),
    close: async () => {
      ending.expect();
      page.abort();
      stage.events.push('close');
      await writeTrace(script, { ...stage, assigned });
      await behave(script.close, 'browser-died', 'The fake browser was told not to close');
    },
  };
}

function answer({ evaluate }: FakeScript, expression: string): unknown {
  return evaluate === undefined ? JSON.parse(expression) : evaluate(expression);
}

/** Of the trial: in the address, or in the page where that is not ours. */
function tokenIn(text: string, url: string): string | null {
  const [, token] = /<script data-trial="([\w-]+)"/.exec(text) ?? [];
  return token ?? new URL(url).searchParams.get('trial');
}

interface TraceToWrite extends Pick<Stage, 'trace'> {
  /** Of the last page. */
  readonly assigned: FakeAssignment | undefined;
}

async function writeTrace(
  { trace: text = '{"traceEvents":[]}' }: FakeScript,
  { trace, assigned }: TraceToWrite,
): Promise<void> {
  if (trace === undefined || text === null) return;
  if (typeof text === 'string') await writeFile(trace, text);
  else if (assigned !== undefined) await writeFile(trace, text(assigned));
}

function trialFor({ trial }: FakeScript, occasion: FakeOccasion): FakeTrial {
  if (trial === undefined) return { does: 'stays-silent' };
  return typeof trial === 'function' ? trial(occasion) : trial;
}

interface FakePage {
  readonly url: string;
  /** Null for a page without a trial. */
  readonly token: string | null;
  readonly signal: AbortSignal;
  readonly ending: Ending;
  readonly events: string[];
  /** Has the driver's clock go on, by what the page says that it took. */
  readonly spend: (ms: number) => void;
  readonly take: (assignment: FakeAssignment) => void;
}

async function playTrial(trial: FakeTrial, page: FakePage): Promise<void> {
  try {
    await followScript(trial, page);
  } catch (error) {
    // A real page's broken request is not seen either; the event shows it to the test.
    page.events.push(page.signal.aborted ? 'page closed' : `page failed: ${String(error)}`);
  }
}

async function followScript(trial: FakeTrial, page: FakePage): Promise<void> {
  if (trial.does === 'stays-silent' || page.token === null) return;
  if (trial.does === 'dies' && trial.when === 'loading') {
    page.ending.tell('the fake browser died');
    return;
  }
  const assignment = await fetchAssignment(page);
  page.take(assignment);
  switch (trial.does) {
    case 'hangs':
      return;
    case 'reports-error':
      return post(page, 'error', JSON.stringify({ phase: trial.phase, message: trial.message }));
    case 'posts':
      return post(page, 'result', trial.body);
    case 'posts-much':
      return post(page, 'result', 'x'.repeat(trial.bytes));
    case 'dies':
      await markStart(page, assignment);
      page.ending.tell('the fake browser died');
      return;
    case 'completes':
      await markStart(page, assignment);
      await trial.work?.(assignment);
      await post(page, 'window', JSON.stringify({ mark: 'end' }));
      return postResult(page, resultOf(trial, assignment));
  }
}

/** The window of a page that is not ours begins before the page if its work is not begun. */
async function markStart(page: FakePage, { guest }: FakeAssignment): Promise<void> {
  if (guest !== undefined && guest.begin === undefined) return;
  await post(page, 'window', JSON.stringify({ mark: 'start' }));
}

/** The measured work of a page took that long, although nothing was waited for here. */
function postResult(page: FakePage, result: FakeResult): Promise<void> {
  const msPer: Readonly<Record<string, number>> = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1_000 };
  const times = result.samples.flatMap(({ unit, warmUp = [], timed }) =>
    [...warmUp, ...timed].map((value) => value * (msPer[unit] ?? 0)),
  );
  page.spend(Math.max(0, ...times));
  return post(page, 'result', JSON.stringify(result));
}

type FakeResult = Fields & { readonly samples: readonly FakeMetric[] };

function resultOf(
  { metrics, result }: Extract<FakeTrial, { does: 'completes' }>,
  assignment: FakeAssignment,
): FakeResult {
  const given = typeof metrics === 'function' ? metrics(assignment) : metrics;
  return {
    protocol: 1,
    clock: { granuleUs: 5, isolated: true },
    host: { userAgent: 'fake', hardwareConcurrency: 2 },
    repeats: 1,
    steadiness: 'steady',
    samples: given.map((one) => ({ warmUp: [], ...one })),
    counters: {},
    ...(typeof result === 'function' ? result(assignment) : result),
  };
}

/** The connections of a browser end with it; those of this process would be kept for a minute. */
const once = { connection: 'close' };

function trialUrl(page: FakePage, what: string): URL {
  const base = new URL(page.url).searchParams.has('trial') ? '' : '/.crossfarm';
  return new URL(`${base}/trial/${encodeURIComponent(page.token ?? '')}/${what}`, page.url);
}

async function fetchAssignment(page: FakePage): Promise<FakeAssignment> {
  const answer = await fetch(trialUrl(page, 'assignment'), { signal: page.signal, headers: once });
  page.events.push(`get assignment ${String(answer.status)}`);
  if (!answer.ok) throw new Error(`the server answered ${String(answer.status)}`);
  return (await answer.json()) as FakeAssignment;
}

async function post(page: FakePage, what: string, body: string): Promise<void> {
  const answer = await fetch(trialUrl(page, what), {
    method: 'POST',
    headers: { ...once, 'content-type': 'application/json' },
    body,
    signal: page.signal,
  });
  page.events.push(`post ${what} ${String(answer.status)}`);
  await answer.text();
}
