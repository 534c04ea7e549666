import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Device, findHost, type FoundDevice, isElsewhere } from '../model/device.ts';
import {
  type BrowserWindow,
  type Display,
  type Drawing,
  findDisplay,
  makeDisplayReading,
  nameRasteriser,
  otherDisplayReason,
  webkitsMask,
} from '../model/display.ts';
import type { Trial } from '../model/trial.ts';
import { realFiles } from '../system-files.ts';
import type { AttemptOutcome } from './attempt.ts';
import { drawingQuestion } from './page-questions.ts';
import type { RunnerSession, TraceWish } from './session-keeper.ts';

/** A browser that draws by software may take a second for its first drawing context. */
const askingMs = 3_000;

const size = z.tuple([z.number().min(0).max(1e6), z.number().min(0).max(1e6)]);
const answer = z.object({
  renderer: z.string().max(500).nullable(),
  isSlow: z.boolean(),
  scale: z.number().gt(0).max(100),
  viewport: size,
  screen: size,
});

interface MeasuredPage {
  readonly outcome: AttemptOutcome;
  readonly trace: TraceWish | undefined;
}

/**
 * Finds out how each browser of a run draws. A page is asked once in each session, and only when its
 * trial is over: nothing of it lies in a page's load.
 */
export class DisplayWatch {
  readonly #ofSession = new WeakMap<RunnerSession, Promise<Display | null>>();
  /** Of each device, the first of the run. */
  readonly #first = new Map<string, Display>();

  /** @param before trials of the run that an earlier process made */
  constructor(before: readonly Trial[] = []) {
    for (const { job, outcome } of before) {
      const seen = outcome.kind === 'completed' ? findDisplay(outcome.readings) : null;
      if (seen !== null) this.#firstOf(job.deviceId, seen);
    }
  }

  /**
   * Adds the reading to a trial that completed, and excludes it if its browser draws in another way
   * than those before it. A browser that does not answer changes nothing.
   */
  async look(
    session: RunnerSession,
    presence: FoundDevice,
    { outcome, trace }: MeasuredPage,
  ): Promise<AttemptOutcome> {
    // A trace of the whole session would show the question.
    const isTraced = trace !== undefined && trace.ofPage !== true;
    if (outcome.kind !== 'completed' || isTraced) return outcome;
    const asking = this.#ofSession.get(session) ?? askDisplay(session, presence);
    this.#ofSession.set(session, asking);
    const display = await asking;
    if (display === null) return outcome;
    const { device } = presence;
    const reason = otherDisplayReason(this.#firstOf(device.id, display), display);
    return {
      ...outcome,
      readings: [...outcome.readings, makeDisplayReading(display)],
      quarantine: [...outcome.quarantine, ...(reason === null ? [] : [reason])],
    };
  }

  #firstOf(deviceId: string, seen: Display): Display {
    const first = this.#first.get(deviceId) ?? seen;
    this.#first.set(deviceId, first);
    return first;
  }
}

/** Asks how a session draws, in the page that is open; null for a runtime, and where it does not say. */
export async function askDisplay(
  session: RunnerSession,
  presence: FoundDevice,
): Promise<Display | null> {
  if (findHost(presence.device.browser) !== 'browser') return null;
  const seen = answer.safeParse(await askPage(session)).data;
  if (seen === undefined) return null;
  const { scale, viewport, screen } = seen;
  const hasJoined = session.client !== undefined;
  return {
    ...nameDrawing(seen, findMachine(presence.device, hasJoined)),
    // Its owner has it in hand.
    window: hasJoined ? 'shown' : findWindow(presence),
    scale,
    viewport: describeSize(viewport),
    screen: describeSize(screen),
  };
}

/** Gives the answer of the page, not to be trusted; null without one. */
async function askPage({ evaluate, drawing }: RunnerSession): Promise<unknown> {
  if (evaluate === undefined) return drawing?.() ?? null;
  const bound = pause(askingMs, null, { ref: false });
  return Promise.race([drawingQuestion().then(evaluate), bound]).catch(() => null);
}

interface DrawingMachine {
  readonly isApple: boolean;
  /** False where its system shows none. */
  readonly mayHaveGpu: boolean;
}

/** Names what drew by the answer of a page. A browser without WebGL has no GPU to draw with. */
export function nameDrawing(
  { renderer, isSlow }: Pick<z.infer<typeof answer>, 'renderer' | 'isSlow'>,
  { isApple, mayHaveGpu }: DrawingMachine,
): Pick<Drawing, 'drawnBy' | 'rasteriser'> {
  if (renderer === null) return { drawnBy: 'software', rasteriser: null };
  const isMasked = renderer === webkitsMask && !isApple;
  const seen = isMasked
    ? { drawnBy: mayHaveGpu ? ('unknown' as const) : ('software' as const), rasteriser: null }
    : nameRasteriser(renderer);
  return isSlow ? { ...seen, drawnBy: 'software' } : seen;
}

/** The machine of a browser: of another one only that it is an iPhone, or has Safari, is known. */
function findMachine(device: Device, hasJoined: boolean): DrawingMachine {
  const isHere = !isElsewhere(device) && !hasJoined;
  const isApples = device.phone?.platform === 'ios' || device.browser === 'safari';
  const isApple = isHere ? process.platform === 'darwin' : isApples;
  return { isApple, mayHaveGpu: !isHere || process.platform !== 'linux' || showsGpu() };
}

/** Device files of Linux's graphics drivers: DRM's render nodes, NVIDIA, WSL, Adreno and Mali. */
function showsGpu(): boolean {
  const isRenderNode = (name: string): boolean => name.startsWith('renderD');
  const others = ['nvidia0', 'dxg', 'kgsl-3d0', 'mali0'];
  return (
    realFiles.list('/dev/dri').some(isRenderNode) ||
    realFiles.list('/dev').some((name) => others.includes(name))
  );
}

function describeSize([width, height]: readonly [number, number]): string {
  return `${String(Math.round(width))} × ${String(Math.round(height))}`;
}

/** The window in which a browser is launched; on Linux without a display the farm makes a virtual one. */
function findWindow({ device, target, capabilities }: FoundDevice): BrowserWindow {
  const headless = capabilities.find(({ name }) => name === 'headless');
  if (device.headless && headless?.supported !== false) {
    const isShell = /headless[-_]shell/.test(basename(target.executable));
    return isShell ? 'headless shell' : 'headless';
  }
  if (device.phone !== undefined) return 'shown';
  if (isElsewhere(device)) return 'unknown';
  const display = device.environment['DISPLAY'] ?? process.env['DISPLAY'] ?? '';
  const isVirtual = process.platform === 'linux' && display === '';
  return isVirtual ? 'shown on a virtual display' : 'shown';
}
