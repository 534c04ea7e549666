import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { GuestTask } from '../../../pages/protocol.d.ts';
import { pagesFolder } from '../project.ts';
import type { LiveSession } from '../session/session.ts';
import { askUntilAnswered } from './opening.ts';

/** The farm's questions to a page, as expressions. */

/** The scripts that the adapter in pages of a folder imports. */
export async function metricsScript(): Promise<string> {
  const texts = await Promise.all(
    ['entries', 'values', 'quiet', 'metrics'].map((name) => kitScript(`guest-${name}.js`)),
  );
  return `(${texts.join(', ')})`;
}

/**
 * Asks the browser why the values are as they are; undefined of a first look. A result is complete
 * without it.
 * @throws the signal's reason, or a TimeoutError
 */
export async function askExplanations(
  { metrics, discover }: GuestTask,
  values: Readonly<Record<string, unknown>>,
  { evaluate, signal }: Asking,
): Promise<unknown> {
  if (discover !== undefined || metrics.length === 0) return undefined;
  const script = await kitScript('guest-explanation.js');
  const asked = `${JSON.stringify(metrics)}, ${JSON.stringify(values)}`;
  const question = `(globalThis.crossfarmExplanation ?? ${script}, crossfarmExplanation.answer(${asked}))`;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(explainingMs)]);
  // The window is over: nothing that is measured pays for it.
  return askUntilAnswered(evaluate, question, { everyMs: 50, signal: bounded });
}

/** Scripts in which a line is counted may come slowly. */
const explainingMs = 3_000;

interface Asking {
  readonly evaluate: NonNullable<LiveSession['evaluate']>;
  readonly signal: AbortSignal;
}

/** The script that runs before a page's own, where the driver can put it there. */
export async function firstScript(isLook: boolean): Promise<string> {
  const names = ['guest-first.js', ...(isLook ? ['guest-look.js'] : [])];
  return (await Promise.all(names.map(kitScript))).join(';\n');
}

/** Of a look before the first trial: follows what the page waits for. */
export function lookScript(): Promise<string> {
  return kitScript('guest-look.js');
}

/** Asks a page what draws it, and on what. */
export async function drawingQuestion(): Promise<string> {
  return `(${await kitScript('drawing.js')})()`;
}

async function kitScript(name: string): Promise<string> {
  const text = await readFile(join(pagesFolder(), 'kit', name), 'utf8');
  return text.trim().replace(/;$/, '');
}

/** Errors of the page; null is left out of a result. */
export const errorsOfPage = `(() => {
  const errors = globalThis.crossfarmGuest?.errors ?? [];
  return errors.length > 0 ? errors : null;
})()`;

/** Facts that the kit finds in a page of ours: its clock's smallest step, the host's own facts. */
export const factsOfPage = `(() => {
  const steps = new Map();
  const began = performance.now();
  let last = began;
  while (last - began < 50) {
    const now = performance.now();
    const step = Math.round((now - last) * 1e6) / 1e6;
    if (step > 0) steps.set(step, (steps.get(step) ?? 0) + 1);
    last = now;
  }
  const repeated = [...steps].filter(([, times]) => times > 1).map(([step]) => step);
  return {
    clock: {
      granuleUs: Math.min(...(repeated.length > 0 ? repeated : steps.keys())) * 1000,
      isolated: globalThis.crossOriginIsolated === true,
    },
    host: {
      userAgent: navigator.userAgent,
      hardwareConcurrency: navigator.hardwareConcurrency ?? null,
    },
  };
})()`;

/** The unmet condition of a foreign page after its trial's deadline; null if unknown. */
export async function awaitedOfPage({
  evaluate,
}: Pick<LiveSession, 'evaluate'>): Promise<string | null> {
  const awaited = evaluate?.('globalThis.crossfarmGuest?.waitsFor() ?? null');
  const bound = pause(askingMs, null, { ref: false });
  const told = await Promise.race([awaited, bound]).catch(() => null);
  return typeof told === 'string' ? told.slice(0, longestAwaited) : null;
}

/** A page that stays busy does not answer. */
const askingMs = 500;

const longestAwaited = 200;
