import { setTimeout as pause } from 'node:timers/promises';
import { DriverError } from '../../../drivers/driver.ts';
import type { GuestTask } from '../../../pages/protocol.d.ts';
import {
  type Benchmark,
  type Case,
  type ExternalPage,
  findExternalPlace,
  type MeasurementPreset,
} from '../model/case.ts';
import type { Capability } from '../model/device.ts';
import { readWatched } from '../model/measures.ts';
import type { Reading } from '../model/reading.ts';
import type { TrialResult } from '../model/trial.ts';
import { parseMessage, trialResult } from '../server/messages.ts';
import type { PageOutcome, WindowListener } from '../server/trial-registry.ts';
import type { LiveSession } from '../session/session.ts';
import { rejectOnDeath, within } from './deadline.ts';
import { giveInput } from './give-input.ts';
import type { Limits } from './limits.ts';
import { askUntilAnswered, type OpeningSetting, readyToOpen } from './opening.ts';
import {
  answerOfPage,
  type PageAnswer,
  parseAnswer,
  shortenAddress,
  refusalByAddress,
  refusalByPath,
  refusalByStatus,
  type UrlPlace,
  whySilent,
  withoutSecret,
} from './page-answer.ts';
import {
  askExplanations,
  errorsOfPage,
  factsOfPage,
  firstScript,
  lookScript,
  metricsScript,
} from './page-questions.ts';

/** How often a page is asked whether it has a result: seldom enough to cost it nothing that is seen. */
const pollMs = 250;

/** Instructions for the adapter in a page of a folder, or for reading a page at a URL. */
export function externalPageTask(
  { metrics }: Benchmark,
  { readers, waits = {}, begin, input, discover, quietMs, awaitsDone }: ExternalPage,
): GuestTask {
  return {
    ...(input === undefined ? {} : { awaitsInput: true }),
    ...(begin === undefined ? {} : { begin }),
    ...(discover === undefined ? {} : { discover }),
    ...(quietMs !== undefined && { quietMs }),
    ...(awaitsDone !== undefined && { awaitsDone }),
    metrics: metrics.flatMap(({ id, unit, optional }) => {
      const reader = readers[id];
      if (reader === undefined) return [];
      const withinMs = waits[id];
      return [
        {
          metric: id,
          unit,
          reader,
          ...(optional !== undefined && { optional }),
          ...(withinMs !== undefined && { withinMs }),
        },
      ];
    }),
  };
}

/**
 * Adds what probes saw of the whole browser to the samples of a page that is not ours. A value that
 * this machine does not show is left out.
 */
export function withWatched(
  result: TrialResult,
  { metrics, guest }: Benchmark,
  readings: readonly Reading[],
): TrialResult {
  const samples = metrics.flatMap(({ id, unit }) => {
    const watched = guest?.watched?.[id];
    const value = watched === undefined ? null : readWatched(watched, readings);
    return value === null ? [] : [{ metric: id, unit, warmUp: [], timed: [value] }];
  });
  return { ...result, samples: [...result.samples, ...samples] };
}

/** Why this case cannot run where the driver has these abilities; null when it can. */
export function reasonAgainstExternalPage(
  one: Case,
  capabilities: readonly Capability[],
): string | null {
  if (findExternalPlace(one)?.place.kind !== 'url') return null;
  const looking = capabilities.find(({ name }) => name === 'evaluate');
  if (looking === undefined || looking.supported) return null;
  return `the result of a page at a URL is read by looking into it, and ${looking.because ?? 'this driver cannot'}`;
}

/** The same pages, opened only until they are quiet: without start, input or measuring. */
export function onlyLoaded(benchmark: Benchmark): Benchmark {
  const { places = [], network, spa, isolated, acceptStatus } = benchmark.guest ?? {};
  const load = { id: 'load', title: 'load', unit: 'ms', direction: 'lower' } as const;
  const readers = { load: { by: 'load' } } as const;
  const guest = {
    places,
    ...(network && { network }),
    ...(spa && { spa }),
    ...(isolated === false && { isolated }),
    ...(acceptStatus && { acceptStatus }),
    readers,
  };
  return { ...benchmark, metrics: [load], guest };
}

/** Of a page that is only opened so that it is in the browser's cache. */
export const unwatched: WindowListener = {
  onStart: () => undefined,
  onEnd: () => undefined,
};

export interface ExternalPageSetting extends OpeningSetting {
  readonly session: LiveSession;
  readonly watch: WindowListener;
  readonly limits: Limits;
  readonly preset?: MeasurementPreset | undefined;
}

/**
 * Opens a page at a URL, into which no adapter can be put, and looks into it until its result is
 * there. The window is from before its opening, or from its beginning, until the result was seen.
 */
export async function readExternalPage(
  benchmark: Benchmark,
  place: UrlPlace,
  setting: ExternalPageSetting,
): Promise<PageOutcome> {
  const { session, watch, limits, clock, signal, preset } = setting;
  const { guest } = benchmark;
  const { evaluate } = session;
  if (guest === undefined || evaluate === undefined) {
    throw new DriverError('not-supported', 'This driver cannot look into a page');
  }
  const task = externalPageTask(benchmark, guest);
  const stop = new AbortController();
  const look = lookUntilThere(evaluate, AbortSignal.any([signal, stop.signal]));
  const died = rejectOnDeath(session);
  const loaded = (): Parameters<typeof within>[1] => ({
    ...clock.bounds('Loading the page', limits.loadMs),
    signal,
  });
  const first = await firstScript(task.discover !== undefined);
  try {
    const open = await readyToOpen('about:blank', setting, first);
    watch.attach?.();
    // Before the navigation, so that nothing of it lies in the page's load.
    if (task.begin === undefined) watch.onStart();
    await open(place.url).catch((error: unknown) => {
      throw withoutSecret(error);
    });
    const answered = firstAnswer(place, guest, { evaluate, signal: stop.signal });
    const begun = await within(Promise.race([answered, died]), loaded());
    if ('kind' in begun) return begun;
    if (task.discover !== undefined) await evaluate(await lookScript());
    if (task.begin !== undefined) {
      await within(
        Promise.race([look('document.readyState === "complete" || null'), died]),
        loaded(),
      );
      watch.onStart();
    }
    const steps = guest.input ?? [];
    const give: Hands['give'] = (prepare) =>
      giveInput(steps, { session, signal: stop.signal, preset, prepare });
    const work = beginAndRead(task, { evaluate, look, preset, give }).catch(toErrorOfPage);
    const read = await within(Promise.race([work, died]), {
      ...clock.bounds('The trial'),
      signal,
    });
    watch.onEnd();
    if ('kind' in read) return read;
    const ask = (question: string): Promise<unknown> => within(evaluate(question), loaded());
    const told = await askAfterwards(ask, () =>
      askExplanations(task, read.values, { evaluate, signal: stop.signal }),
    );
    // A page may lead to another by itself.
    const ended = parseAnswer((await ask(answerOfPage)) ?? begun);
    const offers = withPaths(read.offers, [begun, ended]);
    return refusalByPath(place, ended.address) ?? toOutcome(task, { ...read, ...told, offers });
  } finally {
    stop.abort(new Error('it is not waited for any more'));
  }
}

/** The browser's facts about the answer, or the reason why the page cannot be measured. */
async function firstAnswer(
  place: UrlPlace,
  guest: ExternalPage,
  { evaluate, signal }: Pick<Hands, 'evaluate'> & { readonly signal: AbortSignal },
): Promise<PageAnswer | PageOutcome> {
  const silent = guest.discover === undefined ? [] : [whySilent(place, signal)];
  const asked = askUntilAnswered(evaluate, answerOfPage, { everyMs: pollMs, signal });
  const answer = await Promise.race([asked.then(parseAnswer), ...silent]);
  if ('kind' in answer) return answer;
  return (
    refusalByAddress(place, answer.address) ??
    (await refusalByStatus(place, guest, { told: answer.status, signal })) ??
    refusalByPath(place, answer.address) ??
    answer
  );
}

/** Before a host and path, among what a first look tells. */
export const ledTo = 'at:';

function withPaths(offers: object | undefined, answers: readonly PageAnswer[]): object | undefined {
  const led = answers.map(({ address }) => [`${ledTo}${shortenAddress(address)}`, 1] as const);
  return offers && { ...offers, ...Object.fromEntries(led) };
}

type Look = (expression: string) => Promise<unknown>;

interface Read {
  readonly values: Readonly<Record<string, unknown>>;
  readonly endedAt: unknown;
  readonly offers?: object | undefined;
}

interface Hands {
  readonly evaluate: Look;
  readonly look: Look;
  readonly give: (prepare: () => Promise<unknown>) => ReturnType<typeof giveInput>;
  readonly preset: MeasurementPreset | undefined;
}

async function beginAndRead(
  { begin, metrics, discover, awaitsInput, ...course }: GuestTask,
  { evaluate, look, give, preset }: Hands,
): Promise<Read | PageOutcome> {
  if (begin !== undefined) await evaluate(`void (${begin})`);
  const script = await metricsScript();
  // With the script each time: a page may lead to another.
  const fresh = `(${script}, crossfarmGuest.expect(${JSON.stringify(course)}))`;
  const ask = async (question: string): Promise<unknown> => {
    const answer = await look(
      `(globalThis.crossfarmGuest ?? ${fresh}, ${orItsError(`crossfarmGuest.${question}`)})`,
    );
    const { [itsError]: error } = answer as { readonly [itsError]?: unknown };
    if (error !== undefined) throw new KitError(String(error));
    return answer;
  };
  if (awaitsInput) {
    await ask('input.await()');
    const refused = await give(() => ask('input.await()'));
    if (refused !== null) return refused;
  }
  if (discover !== undefined && preset === undefined) await ask('lookLong()');
  const offers = discover && (Object(await ask(`discover(${JSON.stringify(discover)})`)) as object);
  const asked = JSON.stringify(metrics);
  const values = await ask(`readAll(${asked})`);
  const endedAt = await ask(`endsOf(${asked}, ${JSON.stringify(values)})`);
  return { values: Object(values) as Read['values'], endedAt, offers };
}

/** A page that is asked while it loads may throw anything, and is asked again; what the kit throws is final. */
function orItsError(question: string): string {
  return `(() => { try { return ${question}; } catch (error) { return { ${itsError}: String(error) }; } })()`;
}

const itsError = 'crossfarmError';

class KitError extends Error {}

function toErrorOfPage(error: unknown): PageOutcome {
  if (!(error instanceof KitError)) throw error;
  return { kind: 'error', error: { phase: 'timed', message: error.message } };
}

/** Asks again and again until the answer is something. A page that is still loading gives nothing. */
function lookUntilThere(evaluate: Look, signal: AbortSignal): Look {
  return async (expression) => {
    for (;;) {
      signal.throwIfAborted();
      const seen = await evaluate(expression).catch(() => null);
      if (seen !== null && seen !== undefined) return seen;
      await pause(pollMs, undefined, { signal });
    }
  };
}

/** Asks a page what is read after its window. */
async function askAfterwards(ask: Look, explain: () => Promise<unknown>): Promise<ReadAfterwards> {
  return {
    facts: await ask(factsOfPage),
    errors: await ask(errorsOfPage),
    explanations: await explain().catch(() => undefined),
  };
}

interface ReadAfterwards {
  readonly facts: unknown;
  readonly errors: unknown;
  readonly explanations: unknown;
}

/** Values of a page are hostile, however they were read: they pass the form of a posted result. */
function toOutcome(
  { metrics }: GuestTask,
  { values, endedAt, offers, facts, errors, explanations }: Read & ReadAfterwards,
): PageOutcome {
  const result = {
    protocol: 1,
    ...(facts as object),
    repeats: 1,
    steadiness: 'first run',
    samples: metrics
      .filter(({ metric }) => metric in values)
      .map(({ metric, unit }) => ({ metric, unit, warmUp: [], timed: values[metric] })),
    counters: {},
    endedAt,
    offers,
    errors: errors ?? undefined,
    explanations,
  };
  const parsed = parseMessage('result', JSON.stringify(result), trialResult);
  return parsed.ok
    ? { kind: 'result', result: parsed.value }
    : { kind: 'bad-message', message: parsed.why };
}
