import { nightSteps, type GoingOn, type NightDocument } from './night-document.ts';
import { isUnended } from './night-folder.ts';

/**
 * The number of times that a night measures on after its farm has died. A repeated cause of death
 * would never end: the life after these measures nothing, and ends the night with its results so
 * far.
 */
export const mostContinuations = 3;

/** A farm that is started now. */
export interface Start {
  /** Its options. */
  readonly asked: string;
  readonly now: Date;
  /** How long after its beginning a night may still be continued, in milliseconds. */
  readonly spanMs: number;
  readonly isDead: (mark: string) => boolean;
}

/**
 * True if the farm that starts now does the rest of a night: its own farm died before its end, the
 * options are the same, and its time is not over. Pure.
 */
export function canContinue(night: NightDocument, { asked, now, spanMs, isDead }: Start): boolean {
  return (
    isUnended(night) &&
    night.asked === asked &&
    ageMs(night, now) < spanMs &&
    night.goneOn.length <= mostContinuations &&
    isDead(night.farm)
  );
}

/** Time since its beginning, in milliseconds; 0 where the clock was set back meanwhile. */
export function ageMs({ startedAt }: Pick<NightDocument, 'startedAt'>, now: Date): number {
  return Math.max(0, now.getTime() - Date.parse(startedAt));
}

interface Life {
  /** Mark of the farm that continues it. */
  readonly farm: string;
  readonly now: Date;
  /** Other nights that it found broken off. */
  readonly brokenOff: readonly string[];
}

/**
 * The night as its next life begins. the results of the one before stay; its steps are done again,
 * as it is not known how far the last of them came. Pure.
 */
export function nextLife(night: NightDocument, { farm, now, brokenOff }: Life): NightDocument {
  // Steps are noted when they end, each once and in their order.
  const during = nightSteps[night.steps.length] ?? null;
  return {
    ...night,
    farm,
    status: 'running',
    exitCode: null,
    finishedAt: null,
    reasons: [],
    changes: [],
    steps: [],
    notifications: [],
    brokenOff: [...night.brokenOff, ...brokenOff],
    goneOn: [...night.goneOn, { at: now.toISOString(), farm: night.farm, during }],
  };
}

/** `The farm died 2 times in this night, last in the step run`. */
export function describeDeaths(goneOn: readonly GoingOn[]): string {
  const during = goneOn.at(-1)?.during ?? null;
  const where = during === null ? 'after its last step' : `in the step ${during}`;
  const times = goneOn.length === 1 ? 'once' : `${String(goneOn.length)} times`;
  return `The farm died ${times} in this night, ${goneOn.length === 1 ? '' : 'last '}${where}`;
}
