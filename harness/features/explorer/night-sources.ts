import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedNightResponse, WholeNightResponse } from '../../server/api/home-response.ts';
import type { NightSources } from '../../server/api/sources.ts';
import type { NightDocument } from '../nights/night-document.ts';
import { nightNames, nightsFolder, readNight } from '../nights/night-folder.ts';

interface KeptDocument {
  /** Of its file; a document is replaced whole when it changes. */
  readonly state: string;
  readonly night: Promise<NightDocument | null>;
}

/** The nights beside a database. The document of one is read again only when it changed. */
export function nightSources(database: string): NightSources {
  const folder = nightsFolder(database);
  const kept = new Map<string, KeptDocument>();
  const read = async (): Promise<readonly NightDocument[]> => {
    const states = await statesOf(folder);
    for (const name of kept.keys()) if (!states.has(name)) kept.delete(name);
    for (const [name, state] of states) {
      if (kept.get(name)?.state === state) continue;
      kept.set(name, { state, night: readNight(join(folder, name), database) });
    }
    const names = [...kept.keys()].sort().reverse();
    const nights = await Promise.all(names.map((name) => kept.get(name)?.night));
    return nights.filter((night) => night !== null && night !== undefined);
  };
  return {
    lastChange: async () => [...(await statesOf(folder))].join('\n'),
    all: async () => (await read()).map(listed),
    async one(night) {
      const found = (await read()).find(({ id }) => id === night);
      return found === undefined ? null : whole(found);
    },
    async report(night) {
      const isListed = (await read()).some(({ id }) => id === night);
      // A document may say any id: only the name of a folder there leads to a file.
      if (!isListed || !kept.has(night)) return null;
      return readFile(join(folder, night, 'report.html'), 'utf8').catch(() => null);
    },
  };
}

/** When the document of each night was written, by the name of its folder. */
async function statesOf(nights: string): Promise<ReadonlyMap<string, string>> {
  const names = await nightNames(nights);
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const found = await stat(join(nights, name, 'night.json')).catch(() => null);
        return [name, `${String(found?.mtimeMs ?? 0)} ${String(found?.size ?? 0)}`] as const;
      }),
    ),
  );
}

function listed(night: NightDocument): ListedNightResponse {
  const { id, status, startedAt, finishedAt, suite, run } = night;
  return { night: id, status, startedAt, finishedAt, suite, run };
}

function whole(night: NightDocument): WholeNightResponse {
  return {
    ...listed(night),
    hasReport: night.files.report !== null,
    reasons: night.reasons.map(({ level, text }) => ({ level, text })),
    changes: night.changes.map(({ text }) => text),
    devices: night.devices.map(({ id, ...device }) => ({ device: id, ...device })),
    anomalies: night.analysis?.anomalies ?? [],
    steps: night.steps.map(({ step, outcome, ms, because }) => ({ step, outcome, ms, because })),
  };
}
