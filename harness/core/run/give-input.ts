import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../errors.ts';
import type { InputStep, MeasurementPreset } from '../model/case.ts';
import type { PageOutcome } from '../server/trial-registry.ts';
import type { LiveSession } from '../session/session.ts';

/** How often the page is asked; between two movements at least so much time passes. */
const lookMs = 50;

/** Seldom while it loads: being asked costs the page time in which it is measured. */
const lookWhileLoadingMs = 250;

/** An element that is not there by then does not come; in a smoke test sooner. */
const elementMs = { usual: 5000, fast: 1000 };

export interface InputSetting {
  readonly session: Pick<LiveSession, 'evaluate' | 'act'>;
  /** Aborted when the trial is over. */
  readonly signal: AbortSignal;
  readonly preset?: MeasurementPreset | undefined;
  /** Makes a page ready to which a step led; that of a folder is ready by itself. */
  readonly prepare?: () => Promise<unknown>;
}

/**
 * Does to a page what a person would, one movement after the other: the next one follows when what
 * the last one did has been painted. Begins when the page has loaded and is quiet, and goes on so in
 * each page of its origin to which a step leads.
 * @returns null when all is done; the page's error where a step cannot be.
 * @throws the signal's reason, or the driver's error.
 */
export async function giveInput(
  steps: readonly InputStep[],
  { session: { evaluate, act }, signal, preset, prepare }: InputSetting,
): Promise<PageOutcome | null> {
  if (evaluate === undefined || act === undefined) return pageError('this driver gives no input');
  const bounds = { signal, elementMs: elementMs[preset ?? 'usual'] };
  const hand = new Hand({ evaluate, act, prepare, ...bounds });
  await hand.begin();
  for (const [index, step] of steps.entries()) {
    try {
      await hand.perform(step);
    } catch (error) {
      // A browser that died is distinguished from a page without that element.
      await pause(lookMs, undefined, { signal });
      const [[what = '', of] = []] = Object.entries(step);
      return pageError(
        `step ${String(index + 1)} (${what} ${JSON.stringify(of)}): ${errorText(error)}`,
      );
    }
  }
  const wasThere = await hand.told('globalThis.crossfarmGuest?.input.end() === true');
  return wasThere ? null : pageError(ledAway);
}

const ledAway = 'it has led to a page of another origin, which is not measured';

function pageError(why: string): PageOutcome {
  return { kind: 'error', error: { phase: 'timed', message: `the input cannot be given: ${why}` } };
}

interface HandOptions {
  readonly evaluate: NonNullable<LiveSession['evaluate']>;
  readonly act: NonNullable<LiveSession['act']>;
  readonly prepare: InputSetting['prepare'];
  readonly signal: AbortSignal;
  readonly elementMs: number;
}

/** Of a step without a name, in the table. */
const longestName = 60;

/** A page of another server has no adapter: that of a folder comes soon after its load. */
const isStrange = `(() => {
  const { loadEventEnd = 0 } = performance.getEntriesByType('navigation')[0] ?? {};
  const isLoaded = loadEventEnd > 0 && performance.now() > loadEventEnd + 3000;
  return isLoaded && globalThis.crossfarmGuest?.input.awaited !== true;
})()`;

/** A page that awaits input. */
const isThere = 'globalThis.crossfarmGuest?.input.awaited === true';

class Hand {
  private readonly evaluate: HandOptions['evaluate'];
  private readonly act: HandOptions['act'];
  private readonly signal: AbortSignal;
  private readonly elementMs: number;
  private readonly prepare: HandOptions['prepare'];
  /**
   * How many pages the input has led to. Each carries its number, which tells it from others:
   * WebKitGTK gives another `performance.timeOrigin` now and then.
   */
  private page = 0;

  constructor({ evaluate, act, signal, prepare, elementMs: ms }: HandOptions) {
    this.evaluate = evaluate;
    this.act = act;
    this.prepare = prepare;
    this.signal = signal;
    this.elementMs = ms;
  }

  /** Waits until the page is quiet. */
  async begin(): Promise<void> {
    await this.seen('globalThis.crossfarmGuest?.input.isDue()', lookWhileLoadingMs);
    await this.mark();
  }

  private async mark(): Promise<void> {
    this.page += 1;
    const number = String(this.page);
    await this.seen(`(globalThis.crossfarmGuest.input.page = ${number}) === ${number}`);
  }

  async perform(step: InputStep): Promise<void> {
    await this.give(step);
    await this.follow();
  }

  private async give(step: InputStep): Promise<void> {
    if ('click' in step) {
      const [x = 0, y = 0] = await this.middleOf(step.click);
      await this.time(step.name, { what: `click ${step.click}`, type: 'click' });
      await this.move({ by: 'click', x, y });
    } else if ('type' in step) {
      if (step.into !== undefined) await this.focus(step.into);
      for (const key of step.type) await this.move({ by: 'key', key });
    } else if ('press' in step) {
      await this.time(step.name, { what: `press ${step.press}`, type: 'keydown' });
      await this.move({ by: 'key', key: step.press === 'Space' ? ' ' : step.press });
    } else if ('scroll' in step) {
      await this.move({ by: 'wheel', y: step.scroll });
    } else if ('waitFor' in step) {
      await this.found(`document.querySelector(${JSON.stringify(step.waitFor)}) !== null`);
    } else {
      await pause(step.wait, undefined, { signal: this.signal });
    }
  }

  /** Null without an answer: the page is still loading, or another one replaces it. */
  ask(expression: string): Promise<unknown> {
    return this.evaluate(expression).catch(() => null);
  }

  /** Asks until there is an answer. */
  async told(expression: string): Promise<boolean> {
    for (;;) {
      const answer = await this.ask(expression);
      if (typeof answer === 'boolean') return answer;
      await pause(lookMs, undefined, { signal: this.signal });
    }
  }

  /** Asks until it is so. */
  async seen(expression: string, everyMs = lookMs): Promise<void> {
    while ((await this.ask(expression)) !== true) {
      await pause(everyMs, undefined, { signal: this.signal });
    }
  }

  /** Of a step without a name the page tells whether it leads to another address. */
  private async time(
    name: string | undefined,
    { what, type }: { readonly what: string; readonly type: 'click' | 'keydown' },
  ): Promise<void> {
    const called = JSON.stringify(name ?? what.slice(0, longestName));
    const isUnnamed = String(name === undefined);
    await this.ask(`globalThis.crossfarmGuest?.input.time(${called}, '${type}', ${isUnnamed})`);
  }

  private async move(input: Parameters<typeof this.act>[0]): Promise<void> {
    await this.act(input);
    await this.ask(`${isThere} && crossfarmGuest.input.awaitPaint()`);
    await this.seen(
      `!(${isThere}) || (crossfarmGuest.input.painted && !crossfarmGuest.input.isLeaving())`,
    );
  }

  /** Where a step has led to another page, waits until that is quiet. @throws where it is not measured */
  private async follow(): Promise<void> {
    const isSame = `globalThis.crossfarmGuest?.input.page === ${String(this.page)}`;
    if ((await this.ask(`${isThere} && ${isSame}`)) === true) return;
    await this.seen(`!(${isSame}) || ${isThere}`);
    await this.prepare?.();
    await this.seen(`globalThis.crossfarmGuest?.input.isDue() || ${isStrange}`, lookWhileLoadingMs);
    if (await this.told(isSame)) return;
    if (!(await this.told('globalThis.crossfarmGuest?.input.isContinued === true'))) {
      throw new Error(ledAway);
    }
    await this.mark();
  }

  /** @throws the page's error, as for an invalid selector. */
  private async found(expression: string): Promise<unknown> {
    const from = performance.now();
    while (performance.now() - from < this.elementMs) {
      // Another page may have come meanwhile.
      const answer = await this.evaluate(expression).catch(() => this.evaluate(expression));
      if (answer !== null && answer !== false) return answer;
      await pause(lookMs, undefined, { signal: this.signal });
    }
    const seconds = String(this.elementMs / 1e3);
    throw new Error(`no such element that can be seen was there within ${seconds} s`);
  }

  private async focus(selector: string): Promise<void> {
    await this.found(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element?.focus();
      return element !== null;
    })()`);
  }

  /** Of what is seen of the page, once the element has been scrolled into it. */
  private async middleOf(selector: string): Promise<readonly number[]> {
    const seen = await this.found(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { left, top, width, height } = element?.getBoundingClientRect() ?? {};
      return width > 0 && height > 0 ? [left + width / 2, top + height / 2].map(Math.round) : null;
    })()`);
    return Array.isArray(seen) ? seen.map(Number) : [];
  }
}
