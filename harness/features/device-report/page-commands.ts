import { setTimeout as pause } from 'node:timers/promises';
import { within } from '../../core/run/deadline.ts';
import type { RunnerSession } from '../../core/run/session-keeper.ts';

/** Commands of a driver to the page that is open. */
export interface PageCommands {
  readonly evaluate: NonNullable<RunnerSession['evaluate']>;
  readonly act: RunnerSession['act'];
  readonly signal: AbortSignal;
}

/** A command of a driver has an answer by then. */
const commandMs = 15_000;

/** @throws Error with what was seen instead */
export async function tryEvaluate({ evaluate, signal }: PageCommands): Promise<undefined> {
  const seen = JSON.stringify(await command(evaluate('[1, "two"]'), signal));
  return expectThat(seen === '[1,"two"]', `[1, "two"] gives ${seen}`);
}

const listenToInput = `(globalThis.noted = [], ["click", "keydown", "wheel"].forEach(
  (type) => addEventListener(type, ({ isTrusted }) => isTrusted && noted.push(type))), 0)`;

/** @throws Error with what was seen instead */
export async function tryInput(commands: PageCommands): Promise<undefined> {
  const { evaluate, act, signal } = commands;
  if (act === undefined) throw new Error('its session takes no input');
  await command(evaluate(listenToInput), signal);
  await command(act({ by: 'click', x: 30, y: 20 }), signal);
  await command(act({ by: 'key', key: 'a' }), signal);
  await command(act({ by: 'wheel', y: 100 }), signal);
  return waitFor('click keydown wheel', 'noted.join(" ")', commands);
}

const showDialogs = `(setTimeout(() => {
  const given = [alert("crossfarm"), confirm("crossfarm?"), prompt("crossfarm?", "nobody")];
  globalThis.answered = given.map(String).join();
}, 50), 0)`;

/** @throws Error with what was seen instead */
export async function tryDialogs(commands: PageCommands): Promise<undefined> {
  const { evaluate, signal } = commands;
  await command(evaluate(showDialogs), signal);
  // A look at once might itself close a dialog.
  await pause(1000, undefined, { signal });
  return waitFor('undefined,false,null', 'globalThis.answered ?? null', commands);
}

/** A script that comes before those of a page. */
export const first = '(() => { globalThis.scriptsBefore = document.scripts.length; })()';

/** @throws Error with what was seen instead */
export async function expectFirst({ evaluate, signal }: PageCommands): Promise<undefined> {
  const seen = await command(evaluate('globalThis.scriptsBefore ?? null'), signal);
  return expectThat(seen === 0, `scripts before it: ${String(seen)}`);
}

/** @throws Error with what is so instead */
export function expectThat(isSo: boolean, otherwise: string): undefined {
  if (!isSo) throw new Error(otherwise);
  return undefined;
}

const patienceMs = 5_000;

async function waitFor(
  wanted: string,
  expression: string,
  { evaluate, signal }: PageCommands,
): Promise<undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = String(await command(evaluate(expression), signal));
    if (seen === wanted) return undefined;
    if (performance.now() >= deadline) throw new Error(`seen "${seen}" instead of "${wanted}"`);
    await pause(100, undefined, { signal });
  }
}

function command<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return within(asked, { what: 'The command', ms: commandMs, signal });
}
