import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renderJunit } from '../transfer/exchange/junit.ts';
import type { Anomaly } from '../model/anomaly.ts';
import { backupPath, pruneBackups } from './nights/backups.ts';
import type { NightDocument } from './nights/night-document.ts';
import { pruneNights, type KeptNight } from './nights/night-folder.ts';
import type { NightWork } from './nights/night.ts';
import type { Channel } from './nights/notify/channel.ts';
import { nightFacts } from './nights/report-facts.ts';
import { notifyOfNight } from './nights/notify/send.ts';
import { backUp, findDamage } from '../store/database-file.ts';
import { openStore } from '../store/store.ts';
import { analyseNight } from './analyse-night.ts';
import { isFit, lookAtMachine } from '../cli/doctor.ts';
import type { Io } from '../cli/io.ts';
import { tidyUp } from './night-tidying.ts';
import { keepNightBuilds } from './night-builds.ts';
import type { NightRunOptions } from './nightly-plan.ts';
import { measureNight } from './nightly-run.ts';
import { daysAgo, pruneRuns } from '../cli/prune.ts';
import { readRecord, writeWhole } from './records.ts';
import { renderReport } from '../cli/report.ts';
import { storedNightNumbers } from './stored-history.ts';

export interface NightlyOptions extends NightRunOptions {
  /** Milliseconds for measuring suspects again. */
  readonly analysisBudget: number;
  /** Folder for a copy of the database. */
  readonly backup?: string;
  readonly keepDays?: number;
  readonly maxSize?: number;
  /** What copies of builds may take together, in bytes. */
  readonly keepBuilds: number;
}

export interface NightTools {
  readonly options: NightlyOptions;
  readonly io: Io;
  /** The folder of this night. */
  readonly folder: string;
  readonly id: string;
  readonly startedAt: Date;
  /** Nights before, the newest first. */
  readonly earlier: readonly KeptNight[];
  readonly channels: readonly Channel[];
  /** The night as a farm that died has left it, which is gone on with; null for a new one. */
  readonly goesOn: NightDocument | null;
  /** Looks at the machine; the usual way when left out. */
  readonly lookAt?: typeof lookAtMachine;
}

/** What the farm has for each step of a night. */
export function nightWork(tools: NightTools): NightWork {
  const { options, io, folder, earlier, channels } = tools;
  const { database } = options;
  return {
    preflight: async () => {
      // First: what a dead farm left on the disk or running would make the machine seem unfit.
      await tidyUp({ ...options, earlier }, io);
      const findings = await (tools.lookAt ?? lookAtMachine)(database);
      return { fit: isFit(findings), findings };
    },
    measure: (notes) =>
      measureNight({
        ...{ options, io, notes, before: targetsOf(earlier.map((one) => one.document)) },
        goesOn: tools.goesOn,
      }),
    readRun: (run) => readRecord(run, database),
    keepBuilds: (record) => keepNightBuilds(record, options),
    analyse: (run) =>
      analyseNight({ database, run, budgetMs: options.analysisBudget, signal: io.signal }),
    report: async (night, record) => {
      const around = {
        earlier: earlier.map((one) => one.document),
        anomalies: await storedAnomalies(database),
        numbers: await storedNightNumbers(database, record),
      };
      const context = { database, night: nightFacts(night, around) };
      return write(folder, 'report.html', await renderReport(record, context));
    },
    junit: (record) => write(folder, 'junit.xml', renderJunit(record)),
    integrity: () => findDamage(database),
    notify: (night) =>
      notifyOfNight(night, channels, { earlier: earlier.map(({ document }) => document) }),
    ...backupWork(tools),
    ...pruneWork(tools),
  };
}

/** Which targets were measured against themselves. */
function targetsOf(nights: readonly NightDocument[]): readonly string[] {
  return nights.map(({ aa }) => aa?.target ?? null).filter((target) => target !== null);
}

async function storedAnomalies(database: string): Promise<readonly Anomaly[]> {
  const store = await openStore(database);
  try {
    return await store.listAnomalies();
  } finally {
    await store.close();
  }
}

async function write(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeWhole(path, text);
  return path;
}

function backupWork(tools: NightTools): Pick<NightWork, 'backup'> {
  const { options, id, startedAt, earlier, goesOn } = tools;
  const { backup: folder, database, keepDays } = options;
  if (folder === undefined) return {};
  return {
    backup: async () => {
      await mkdir(folder, { recursive: true });
      const path = backupPath(folder, id);
      // Of the life before: what was measured since is not in it.
      if (goesOn !== null) await rm(path, { force: true });
      await backUp(database, path);
      if (keepDays !== undefined) {
        const nights = [
          { id, startedAt: startedAt.toISOString() },
          ...earlier.map(({ document }) => document),
        ];
        await pruneBackups(nights, { folder, before: daysAgo(keepDays) });
      }
      return path;
    },
  };
}

/** The folders of nights go by the same age as their runs. */
function pruneWork({ options, folder, earlier }: NightTools): Pick<NightWork, 'prune'> {
  const { keepDays, maxSize, database } = options;
  if (keepDays === undefined && maxSize === undefined) return {};
  return {
    prune: async () => {
      const { removed, bytesBefore, bytesAfter, notShrunk } = await pruneRuns(database, {
        ...{ keepDays, maxSize, dryRun: false, whenInUse: 'leave-size' },
      });
      if (keepDays !== undefined) {
        await pruneNights(earlier, { before: daysAgo(keepDays), except: folder });
      }
      return { removed, bytesBefore, bytesAfter, notShrunk };
    },
  };
}
