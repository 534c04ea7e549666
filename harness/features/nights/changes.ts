import type { NightChange, NightDevice, NightDocument } from './night-document.ts';
import { unusableParts } from './judgement.ts';

/**
 * Changes since the night before: only these are notified. Nights that never came to notify
 * of theirs are as if they had not been; what they found stays news. Pure.
 * @param earlier the nights before, the newest first.
 */
export function findChanges(
  night: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  const concluded = earlier.filter(isConcluded);
  return [
    ...anomalyChanges(night, earlier),
    ...brokenOff(night),
    ...redChanges(night, concluded),
    ...unusableChanges(night, concluded),
    ...deviceChanges(night, concluded),
  ];
}

function isConcluded({ finishedAt }: NightDocument): boolean {
  return finishedAt !== null;
}

/**
 * Against the newest night that was analysed: a night whose analysis failed says nothing of them. An
 * anomaly is found once; if that night broke off afterwards, tonight reports it.
 */
function anomalyChanges(
  night: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  const last = earlier.findIndex(isConcluded);
  const untold = earlier.slice(0, last === -1 ? earlier.length : last);
  const analysed = [night, ...untold].flatMap(({ analysis }) => analysis ?? []);
  const before = earlier.filter(isConcluded).find((one) => one.analysis !== null)?.analysis ?? null;
  const isNew =
    (known: readonly { readonly id: string }[] = []) =>
    ({ id }: { readonly id: string }): boolean =>
      !known.some((one) => one.id === id);
  return [
    ...onceEach(analysed.flatMap(({ anomalies }) => anomalies))
      .filter(isNew(before?.anomalies))
      .map(({ id, title }) => ({ kind: 'new-anomaly' as const, text: `${id} is new: ${title}` })),
    ...onceEach(analysed.flatMap(({ gone }) => gone))
      .filter(isNew(before?.gone))
      .map(({ id, title }) => ({ kind: 'gone-anomaly' as const, text: `${id} is gone: ${title}` })),
  ];
}

function onceEach<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
  return all.filter(({ id }, index) => all.findIndex((one) => one.id === id) === index);
}

function brokenOff({ brokenOff: nights }: NightDocument): readonly NightChange[] {
  return nights.map((id) => ({
    kind: 'night-broken-off',
    text: `the night of ${id} never ended: its farm died`,
  }));
}

/** A night that is red for the same steps as the one before is no news. */
function redChanges(
  night: NightDocument,
  [before]: readonly NightDocument[],
): readonly NightChange[] {
  const now = redSteps(night);
  const then = before === undefined ? [] : redSteps(before);
  const fresh = now.filter((step) => !then.includes(step));
  const reasons = night.reasons.filter(
    ({ level, step }) => level === 'red' && fresh.includes(step),
  );
  if (reasons.length > 0) {
    const because = reasons.map(({ text }) => text).join('; ');
    return [{ kind: 'red-night', text: `the night is red: ${because}` }];
  }
  if (now.length > 0 || before?.status !== 'red') return [];
  return [{ kind: 'no-longer-red', text: 'the night is no longer red' }];
}

function redSteps({ reasons }: NightDocument): readonly string[] {
  return reasons.filter(({ level }) => level === 'red').map(({ step }) => step);
}

/** A part that was unusable the night before, too, is no change. */
function unusableChanges(
  night: NightDocument,
  [before]: readonly NightDocument[],
): readonly NightChange[] {
  const known = before === undefined ? [] : unusableParts(before).map(({ device }) => device);
  const fresh = unusableParts(night).filter(({ device }) => !known.includes(device));
  if (fresh.length === 0) return [];
  const text = `the night is of little use: ${fresh.map((one) => one.text).join('; ')}`;
  return [{ kind: 'night-unusable', text }];
}

/** Against the newest night that looked at the device. One that left the inventory is not lost. */
function deviceChanges(
  { devices }: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  return devices.flatMap((now): readonly NightChange[] => {
    const then = earlier.flatMap((one) => one.devices).find(({ id }) => id === now.id);
    if (then === undefined || isThere(then) === isThere(now)) return [];
    if (isThere(now)) return [{ kind: 'device-back', text: `${now.id} is back` }];
    return [{ kind: 'device-lost', text: `${now.id} is lost: ${now.because ?? now.state}` }];
  });
}

function isThere({ state }: NightDevice): boolean {
  return state === 'found';
}
