import { setTimeout as rest } from 'node:timers/promises';
import type { Presence } from '../model/device.ts';
import { whereabouts } from './appium.ts';
import { findDevices, type DriverLoader } from './presence.ts';

export interface Awaiting {
  /** What was found when the run began. */
  readonly before: readonly Presence[];
  readonly loadDriver: DriverLoader;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  /** How long is waited for them, in milliseconds. */
  readonly patienceMs?: number;
  readonly everyMs?: number;
}

/**
 * Looks again for devices behind a server elsewhere that are missing now and were there when the run
 * began: what interrupted the run may be what interrupted the server, and that is starting anew. A
 * server that is gone for good costs its patience once, not once for each device.
 */
export async function awaitElsewhere(
  presences: readonly Presence[],
  { before, loadDriver, signal, say, patienceMs = 20_000, everyMs = 1_000 }: Awaiting,
): Promise<readonly Presence[]> {
  const there = new Set(
    before.filter(({ status }) => status === 'found').map(({ device }) => device.id),
  );
  const isAwaited = ({ status, device }: Presence): boolean =>
    status === 'missing' && there.has(device.id) && whereabouts(device).server !== undefined;
  const names = presences.filter(isAwaited).map(({ device }) => device.id);
  if (names.length === 0) return presences;
  say(
    `${names.join(', ')}: was there when the run began; waiting up to ${String(patienceMs / 1000)} s`,
  );
  const until = performance.now() + patienceMs;
  let now = presences;
  while (now.some(isAwaited) && performance.now() + everyMs <= until && !signal.aborted) {
    await rest(everyMs, undefined, { signal }).catch(() => undefined);
    const awaited = now.filter(isAwaited).map(({ device }) => device);
    const seen = new Map(
      (await findDevices(awaited, loadDriver)).map((one) => [one.device.id, one]),
    );
    now = now.map((one) => seen.get(one.device.id) ?? one);
  }
  return now;
}
