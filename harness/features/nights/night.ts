import { FarmError } from '../../core/errors.ts';
import type { Presence } from '../../core/model/device.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { judgeLane, summariseLanes } from './aa-lane.ts';
import type { NightAnalysis } from './analyse-night.ts';
import { findChanges } from './changes.ts';
import type { NightDiary } from './diary.ts';
import { describeDeaths, mostContinuations } from './continue-night.ts';
import { headNight, judgeNight, describeDevices, keepLedger } from './judgement.ts';
import type {
  BuildOfNight,
  NightDocument,
  Preflight,
  PruneOfNight,
  SentNotification,
} from './night-document.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** Notes of measuring, made at once so that they survive a later failure. */
export interface MeasuringNotes {
  found(presences: readonly Presence[]): void;
  /** The run is stored; `planned` counts the cells of its plan. */
  begun(run: number, planned: number): void;
}

/** The steps of a night. Each may throw, and each may hang: the night continues without it. */
export interface NightWork {
  preflight(): Promise<Preflight>;
  /** Measures to the end. @throws when it did not get there; what is stored stays. */
  measure(notes: MeasuringNotes): Promise<void>;
  readRun(run: number): Promise<RunRecord>;
  /** Keeps copies of the builds that were measured, for later nights. */
  keepBuilds(record: RunRecord): Promise<readonly BuildOfNight[]>;
  analyse(run: number): Promise<NightAnalysis>;
  /** Finds the functions that made the confirmed changes. Absent when that is not wanted. */
  readonly blame?: (
    confirmed: NightAnalysis['anomalies'],
    budgetMs: number,
  ) => Promise<NightAnalysis['anomalies']>;
  /** Both write a file into the night's folder, and give its path. */
  report?(night: NightDocument, record: RunRecord): Promise<string>;
  junit(record: RunRecord): Promise<string>;
  /** Damage of the database, in sentences. */
  integrity(): Promise<readonly string[]>;
  /** Absent when they are not wanted. */
  readonly backup?: () => Promise<string>;
  readonly prune?: () => Promise<PruneOfNight>;
  /** Notifies of the night's changes; failures are part of the result. */
  notify(night: NightDocument): Promise<readonly SentNotification[]>;
}

export interface NightSetting {
  /** Nights before, the newest first. */
  readonly earlier: readonly NightDocument[];
  /** For everything that the run may take, and its analysis: milliseconds. */
  readonly runMs: number;
  readonly analysisMs: number;
}

/** Deadline of all other steps; and how long the run and its analysis may take to end when aborted. */
const patienceMs = 15 * 60_000;

/**
 * One night, from the first check of the machine to the last message. Every step is done regardless
 * of the others, as far as it has something to work on, so that a night always ends, and
 * `night.json` has its result.
 */
export async function holdNight(
  diary: NightDiary,
  work: NightWork,
  setting: NightSetting,
): Promise<NightDocument> {
  await diary.note({});
  await lookAround(diary, work);
  const planned = await measure(diary, work, setting);
  const record = await keepCells(diary, work, planned);
  await judgeAgainstItself(diary, record, setting);
  await keepBuilds(diary, work, record);
  await analyse(diary, work, setting);
  await blame(diary, work, setting);
  await writeDocuments(diary, work, record);
  await keepDatabase(diary, work);
  await conclude(diary, work, setting);
  return diary.document;
}

async function lookAround(diary: NightDiary, work: NightWork): Promise<void> {
  const preflight = await diary.step('preflight', {
    deadlineMs: patienceMs,
    act: () => work.preflight(),
  });
  await diary.note({ preflight });
}

/**
 * @returns the number of planned cells; null without a run, or for a run of an earlier farm, whose
 * plan was stored in one transaction.
 */
async function measure(
  diary: NightDiary,
  work: NightWork,
  { runMs }: NightSetting,
): Promise<number | null> {
  let planned: number | null = diary.document.run === null ? null : 0;
  // Written in turn with all other notes; whether that works is seen there.
  const notes: MeasuringNotes = {
    found: (presences) => void diary.note({ devices: describeDevices({ presences, trials: [] }) }),
    begun: (run, cells) => {
      planned = cells;
      void diary.note({ run });
    },
  };
  await diary.step('run', {
    deadlineMs: runMs + patienceMs,
    act: async () => {
      refuseWithoutRoom(diary.document);
      refuseAnotherDeath(diary.document);
      await work.measure(notes);
      return {};
    },
  });
  return planned;
}

/** Measuring on a full disk would lose the whole night. */
function refuseWithoutRoom({ preflight }: NightDocument): void {
  const disk = preflight?.findings.find(({ id }) => id === 'disk');
  if (disk?.level !== 'unfit') return;
  throw new FarmError('disk-full', {
    what: `Only ${disk.what}; nothing was measured.`,
    next: disk.remedy,
  });
}

/** A step that has killed the farm that often would do so again, and the results would never be reported. */
function refuseAnotherDeath({ goneOn }: NightDocument): void {
  if (goneOn.length <= mostContinuations) return;
  throw new FarmError('run-interrupted', {
    what: `${describeDeaths(goneOn)}; nothing more was measured.`,
    next: `See what ended it (journalctl --user, dmesg), mend that, and ${npxCrossfarm} continue does the rest.`,
  });
}

async function keepCells(
  diary: NightDiary,
  work: NightWork,
  planned: number | null,
): Promise<RunRecord | null> {
  const { run } = diary.document;
  if (run === null || planned === null) {
    await diary.leaveOut('ledger', 'there is no run');
    return null;
  }
  return diary.step('ledger', {
    deadlineMs: patienceMs,
    act: async () => {
      const record = await work.readRun(run);
      await diary.note({ ledger: keepLedger(record, planned), devices: describeDevices(record) });
      return record;
    },
  });
}

async function judgeAgainstItself(
  diary: NightDiary,
  record: RunRecord | null,
  { earlier }: NightSetting,
): Promise<void> {
  const lane = record === null ? null : judgeLane(record);
  if (lane === null) {
    await diary.leaveOut('aa', 'no target was measured against itself');
    return;
  }
  const lanes = [lane, ...earlier.map(({ aa }) => aa).filter((aa) => aa !== null)];
  const aa = await diary.step('aa', {
    deadlineMs: patienceMs,
    act: () => Promise.resolve({ ...lane, history: summariseLanes(lanes) }),
  });
  await diary.note({ aa });
}

/** Also after a run that failed; and before the analysis, which may measure on such a copy. */
async function keepBuilds(
  diary: NightDiary,
  work: NightWork,
  record: RunRecord | null,
): Promise<void> {
  if (record === null) {
    await diary.leaveOut('builds', 'there is no run');
    return;
  }
  const builds = await diary.step('builds', {
    deadlineMs: patienceMs,
    act: () => work.keepBuilds(record),
  });
  await diary.note({ builds: builds ?? [] });
}

async function analyse(
  diary: NightDiary,
  work: NightWork,
  { analysisMs }: NightSetting,
): Promise<void> {
  const { run, steps } = diary.document;
  if (run === null || steps.some(({ step, outcome }) => step === 'run' && outcome === 'failed')) {
    await diary.leaveOut('analysis', 'the run did not come to its end');
    return;
  }
  if (diary.document.analysis !== null) {
    await diary.leaveOut('analysis', 'it was done before the farm died');
    return;
  }
  const deadlineMs = analysisMs + patienceMs;
  const analysis = await diary.step('analysis', { deadlineMs, act: () => work.analyse(run) });
  await diary.note({ analysis });
}

/** Takes what the analysis left of its time, and no more: the night is as long as without it. */
async function blame(
  diary: NightDiary,
  work: NightWork,
  { analysisMs }: NightSetting,
): Promise<void> {
  const { analysis, steps } = diary.document;
  const confirmed = analysis?.anomalies ?? [];
  if (analysis === null || work.blame === undefined || confirmed.every(isBlamed)) {
    await diary.leaveOut('blame', work.blame === undefined ? unwanted : 'no change was confirmed');
    return;
  }
  const { blame: find } = work;
  const spentMs = steps.find(({ step }) => step === 'analysis')?.ms ?? 0;
  const leftMs = Math.max(0, analysisMs - spentMs);
  const anomalies = await diary.step('blame', {
    deadlineMs: leftMs + patienceMs,
    act: () => find(confirmed, leftMs),
  });
  if (anomalies !== null) await diary.note({ analysis: { ...analysis, anomalies } });
}

function isBlamed({ blame: where }: NightAnalysis['anomalies'][number]): boolean {
  return where !== undefined;
}

async function writeDocuments(
  diary: NightDiary,
  work: NightWork,
  record: RunRecord | null,
): Promise<void> {
  for (const step of ['report', 'junit'] as const) {
    const write =
      step === 'report' ? work.report?.bind(work, diary.document) : work.junit.bind(work);
    if (record === null || write === undefined) {
      const why = record === null ? 'there is no run to tell of' : unwanted;
      await diary.leaveOut(step, why);
      continue;
    }
    const written = await diary.step(step, {
      deadlineMs: patienceMs,
      act: async () => ({ path: await write(record) }),
    });
    await diary.note({ files: { ...diary.document.files, [step]: written?.path ?? null } });
  }
}

/** Why a step of choice was left out. */
const unwanted = 'nobody asked for it';

/** A damaged database is neither pruned, which would copy it, nor kept as a backup. */
async function keepDatabase(diary: NightDiary, work: NightWork): Promise<void> {
  const { backup, prune } = work;
  const sound = await diary.step('integrity', {
    deadlineMs: patienceMs,
    act: async () => {
      refuseDamage(diary.document.database, await work.integrity());
      return {};
    },
  });
  const damaged = 'the database is not sound';
  if (backup === undefined || sound === null) {
    await diary.leaveOut('backup', backup === undefined ? unwanted : damaged);
  } else {
    const act = async (): Promise<{ path: string }> => ({ path: await backup() });
    const made = await diary.step('backup', { deadlineMs: patienceMs, act });
    await diary.note({ files: { ...diary.document.files, backup: made?.path ?? null } });
  }
  if (prune === undefined || sound === null) {
    await diary.leaveOut('prune', prune === undefined ? unwanted : damaged);
  } else {
    const pruned = await diary.step('prune', { deadlineMs: patienceMs, act: prune });
    await diary.note({ prune: pruned });
  }
}

function refuseDamage(database: string, damage: readonly string[]): void {
  if (damage.length === 0) return;
  throw new FarmError('bad-database', {
    what: `${database} is damaged: ${damage.slice(0, 5).join('; ')}.`,
    next: `Move it away and put a backup in its place; ${npxCrossfarm} db import takes over what can still be read.`,
  });
}

/** The verdict on the night comes before the notifications: a lost message does not change it. */
async function conclude(
  diary: NightDiary,
  work: NightWork,
  { earlier }: NightSetting,
): Promise<void> {
  const { reasons } = judgeNight(diary.document);
  const changes = findChanges({ ...diary.document, reasons }, earlier);
  const judgement = judgeNight({ ...diary.document, changes });
  await diary.note({ changes, ...judgement });
  await diary.note({ headline: headNight(diary.document, earlier.length === 0) });
  const notifications = await work.notify(diary.document);
  // Last: if a night dies while it notifies, the next one does.
  await diary.note({ notifications, finishedAt: new Date().toISOString() });
}
