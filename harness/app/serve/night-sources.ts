import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedNightResponse, WholeNightResponse } from '../../server/api/home-response.ts';
import type { NightSources } from '../../server/api/sources.ts';
import type { NightDocument } from '../nights/night-document.ts';
import { listNights, nightNames, nightsFolder } from '../nights/night-folder.ts';

/** The nights beside a database. Their documents are read again only when one of them changed. */
export function nightSources(database: string): NightSources {
  let known: { readonly state: string; readonly nights: Promise<readonly NightDocument[]> } = {
    state: '',
    nights: Promise.resolve([]),
  };
  const lastChange = (): Promise<string> => stateOf(nightsFolder(database));
  const read = async (): Promise<readonly NightDocument[]> => {
    const state = await lastChange();
    if (state !== known.state) {
      const nights = listNights(database).then((all) => all.map(({ document }) => document));
      known = { state, nights };
    }
    return known.nights;
  };
  return {
    lastChange,
    all: async () => (await read()).map(listed),
    async one(night) {
      const found = (await read()).find(({ id }) => id === night);
      return found === undefined ? null : whole(found);
    },
    async report(night) {
      const folder = nightsFolder(database);
      const isListed = (await read()).some(({ id }) => id === night);
      // A document may say any id: only the name of a folder there leads to a file.
      if (!isListed || !(await nightNames(folder)).includes(night)) return null;
      const file = join(folder, night, 'report.html');
      return readFile(file, 'utf8').catch(() => null);
    },
  };
}

/** Names and times of the documents; a document is replaced whole when it changes. */
async function stateOf(nights: string): Promise<string> {
  const names = await nightNames(nights);
  const times = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(nights, name, 'night.json')).catch(() => null);
      return `${name} ${String(found?.mtimeMs ?? 0)} ${String(found?.size ?? 0)}`;
    }),
  );
  return times.join('\n');
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
