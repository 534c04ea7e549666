import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Orphan } from '../../../drivers/driver.ts';
import { endOrphan, type Patience } from '../../../drivers/shared/orphaned-sessions.ts';
import { foreignLinkIn, requireOwnLinks } from '../own-path.ts';
import { farmVariable, isOfDeadFarm } from './farm-mark.ts';
import { readProcessTable } from './process-table.ts';
import { type EndingRules, ProcessTree, sessionVariable } from './process-tree.ts';
import {
  isPartialOfDeadFarm,
  placeSession,
  readOrphans,
  readSessionRecord,
  removeSessionDirectory,
  sessionIdForm,
  type SessionDirectory,
} from './session-directory.ts';
import type { WatchedFarm } from './watchdog.ts';

/** By then servers have ended idle sessions: Selenium Grid after 5 min, Appium as asked (1 h). */
const remainMs = 3_600_000;

/**
 * A directory appears with its record. A directory without it for this time is of a disk that
 * failed.
 */
const unrecordedMs = 60_000;

export interface Sweeping extends Patience {
  /** Called with one sentence for each thing that could not be ended; optional. */
  readonly say?: (sentence: string) => void;
}

/**
 * Ends the processes and removes the directories of sessions whose farm no longer lives, as after a
 * power cut or `kill -9`, and anything else that such a farm had started: its display, a session on
 * a grid, a port of another machine. An unreachable leftover is reported, and tried again by the
 * next sweep until it has ended by itself. Sessions of farms that live are left alone.
 * @returns how many sessions were swept.
 */
export async function sweepLeftovers(directory: string, sweeping: Sweeping = {}): Promise<number> {
  // The target of another user's link is not this farm's, and is not removed.
  requireOwnLinks(directory);
  let swept = 0;
  for (const name of await namesIn(directory)) {
    if (isPartialOfDeadFarm(name))
      await rm(join(directory, name), { recursive: true, force: true });
  }
  for (const place of await listSessions(directory)) {
    if (!(await isLeftover(place))) continue;
    await endSession(place);
    const reached = await endRemote(place, sweeping);
    if (!reached && (await ageOf(place)) < remainMs) continue;
    await removeSessionDirectory(place);
    swept += 1;
  }
  await endOrphans();
  return swept;
}

function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
}

async function listSessions(directory: string): Promise<readonly SessionDirectory[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => sessionIdForm.test(name) && foreignLinkIn(join(directory, name)) === null)
    .map((id) => placeSession(directory, id));
}

async function isLeftover(place: SessionDirectory): Promise<boolean> {
  const record = await readSessionRecord(place);
  if (record !== null) return isOfDeadFarm(record.farm);
  return (await ageOf(place)) > unrecordedMs;
}

/** In milliseconds, since something was last put into it. */
function ageOf({ path }: SessionDirectory): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
}

async function endSession({ id, profile }: SessionDirectory, rules?: EndingRules): Promise<void> {
  await new ProcessTree({ roots: [], mark: `${sessionVariable}=${id}`, profile }).end(rules);
}

/** True if everything is gone. Leftovers at different servers are ended at the same time. */
async function endRemote(
  place: SessionDirectory,
  { say = () => undefined, ...patience }: Sweeping,
): Promise<boolean> {
  // A later record of the same place says more than an earlier one, or replaces it.
  const last = new Map((await readOrphans(place)).map((one) => [orphanAddress(one), one]));
  const ended = await Promise.all([...last.values()].map((one) => endOrphan(one, patience)));
  const obstacles = new Set(ended.filter((obstacle) => obstacle !== null));
  for (const obstacle of obstacles) say(`a crashed farm's ${obstacle}`);
  return obstacles.size === 0;
}

function orphanAddress(orphan: Orphan): string {
  return orphan.kind === 'adb-reverse' ? orphan.port : orphan.server;
}

/** Ends what carries the mark of a farm that no longer lives, whichever directory it used. */
async function endOrphans(): Promise<void> {
  const marks = new Set(
    readProcessTable().flatMap(({ environment }) =>
      environment.filter((entry) => entry.startsWith(`${farmVariable}=`)),
    ),
  );
  for (const mark of marks) {
    if (!isOfDeadFarm(mark.slice(farmVariable.length + 1))) continue;
    await new ProcessTree({ roots: [], mark, profile: null }).end();
  }
}

/** These processes need not end well: the next farm removes their profiles. */
const watchdogRules: EndingRules = { politeMs: 500, forcedMs: 5000 };

/** How long a farm whose pipe has closed may take to be gone: its memory is freed before it is. */
const dyingMs = 5000;

/**
 * Ends the processes of one farm that has died, at once, and no others: not even those of other
 * dead farms. Directories, and sessions on other machines, are left to the next sweep. Does
 * nothing for a farm that lives.
 */
export async function endWhatIsLeft({ farm, directory }: WatchedFarm): Promise<void> {
  for (let waitedMs = 0; !isOfDeadFarm(farm); waitedMs += 10) {
    if (waitedMs >= dyingMs) return;
    await pause(10);
  }
  // Twice: what was just being started when the farm died carries its mark a moment later.
  for (const delayMs of [0, 500]) {
    await pause(delayMs);
    const mark = `${farmVariable}=${farm}`;
    await new ProcessTree({ roots: [], mark, profile: null }).end(watchdogRules);
    for (const place of await listSessions(directory)) {
      const record = await readSessionRecord(place);
      if (record?.farm === farm) await endSession(place, watchdogRules);
    }
  }
}
