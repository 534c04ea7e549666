import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { runDefaults } from '../../core/app/defaults.ts';
import type { Continuation } from '../../core/app/extensions.ts';
import type { Run } from '../../core/model/run.ts';
import { isOfDeadFarm } from '../../core/session/farm-mark.ts';
import type { Store } from '../../core/store/store.ts';
import { canContinue } from './continue-night.ts';
import { listNights } from './night-folder.ts';

const askedOptions = z.looseObject({ budget: z.number(), analysisBudget: z.number() });

/** Finds out how the newest night is continued, where its farm died in it and began this run. */
export async function findContinuation(run: Run, store: Store): Promise<Continuation | null> {
  const [newest] = await listNights(store.path);
  if (newest === undefined) return null;
  const { asked, id, farm } = newest.document;
  // That farm may have died before it noted the number.
  const isIts = newest.document.run === run.id || (await store.readSetting(run.id))?.farm === farm;
  if (!isIts) return null;
  const options = askedOptions.safeParse(JSON.parse(asked ?? 'null'));
  if (asked === null || !options.success) return null;
  const spanMs = options.data.budget + options.data.analysisBudget;
  const start = { asked, now: new Date(), spanMs, isDead: isOfDeadFarm };
  if (!canContinue(newest.document, start)) return null;
  return { what: `the interrupted night ${id}`, args: listArguments(options.data), takes: [] };
}

/** Nights are completed with these, some of which are no options of theirs. */
const defaults: Readonly<Record<string, unknown>> = runDefaults;

/** In milliseconds, which a number alone is not on a command line. */
const durations: ReadonlySet<string> = new Set(['budget', 'analysisBudget', 'deadline']);

/** The command line of a night: its farm continues the one that was asked for in the same way. */
function listArguments(asked: Readonly<Record<string, unknown>>): readonly string[] {
  const flags = Object.entries(asked).flatMap(([key, value]): readonly string[] => {
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (isDeepStrictEqual(value, defaults[key])) return [];
    if (value === false) return [`--no-${name}`];
    if (value === null || value === true) return [];
    if (Array.isArray(value)) return value.length === 0 ? [] : [`--${name}`, value.join(',')];
    if (typeof value === 'object') {
      return Object.entries(value).flatMap(([parameter, values]) => [
        `--${name}`,
        `${parameter}=${[values].flat().join(',')}`,
      ]);
    }
    return [`--${name}`, durations.has(key) ? `${String(value)}ms` : String(value)];
  });
  return ['nightly', ...flags];
}
