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
}

/**
 * Does to a page what a person would, one movement after the other: the next one follows when what
 * the last one did has been painted. Begins when the page has loaded and is quiet.
 * @returns null when all is done; the page's error where a step cannot be.
 * @throws the signal's reason, or the driver's error.
 */
export async function giveInput(
  steps: readonly InputStep[],
  { session: { evaluate, act }, signal, preset }: InputSetting,
): Promise<PageOutcome | null> {
  if (evaluate === undefined || act === undefined) return pageError('this driver gives no input');
  const hand = new Hand({ evaluate, act, signal, elementMs: elementMs[preset ?? 'usual'] });
  await hand.seen('globalThis.crossfarmGuest?.input.isDue()', lookWhileLoadingMs);
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
  const isSame = await hand.ask('globalThis.crossfarmGuest?.input.end() === true');
  return isSame === true ? null : pageError('it has led to another page, which is not measured');
}

function pageError(why: string): PageOutcome {
  return { kind: 'error', error: { phase: 'timed', message: `the input cannot be given: ${why}` } };
}

interface HandOptions {
  readonly evaluate: NonNullable<LiveSession['evaluate']>;
  readonly act: NonNullable<LiveSession['act']>;
  readonly signal: AbortSignal;
  readonly elementMs: number;
}

class Hand {
  private readonly evaluate: HandOptions['evaluate'];
  private readonly act: HandOptions['act'];
  private readonly signal: AbortSignal;
  private readonly elementMs: number;

  constructor({ evaluate, act, signal, elementMs: ms }: HandOptions) {
    this.evaluate = evaluate;
    this.act = act;
    this.signal = signal;
    this.elementMs = ms;
  }

  async perform(step: InputStep): Promise<void> {
    if ('click' in step) {
      const [x = 0, y = 0] = await this.middleOf(step.click);
      await this.time(step.name, 'click');
      await this.move({ by: 'click', x, y });
    } else if ('type' in step) {
      if (step.into !== undefined) await this.focus(step.into);
      for (const key of step.type) await this.move({ by: 'key', key });
    } else if ('press' in step) {
      await this.time(step.name, 'keydown');
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

  /** Asks until it is so. */
  async seen(expression: string, everyMs = lookMs): Promise<void> {
    while ((await this.ask(expression)) !== true) {
      await pause(everyMs, undefined, { signal: this.signal });
    }
  }

  /** A page to which the last step led times nothing, which shows at the end. */
  private async time(name: string | undefined, type: 'click' | 'keydown'): Promise<void> {
    if (name === undefined) return;
    await this.ask(`globalThis.crossfarmGuest?.input.time(${JSON.stringify(name)}, '${type}')`);
  }

  private async move(input: Parameters<typeof this.act>[0]): Promise<void> {
    await this.act(input);
    // A page to which it led does not await input, which shows at the end.
    const isThere = 'globalThis.crossfarmGuest?.input.awaited === true';
    await this.ask(`${isThere} && crossfarmGuest.input.awaitPaint()`);
    await this.seen(`!(${isThere}) || crossfarmGuest.input.painted`);
  }

  /** @throws the page's error, as for an invalid selector. */
  private async found(expression: string): Promise<unknown> {
    const from = performance.now();
    while (performance.now() - from < this.elementMs) {
      const answer = await this.evaluate(expression);
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
