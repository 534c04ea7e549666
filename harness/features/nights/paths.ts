import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { OpenedDatabase } from '../../core/app/extensions.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import {
  type ListedNight,
  listedNight,
  type WholeNight,
  wholeNight,
} from '../../core/results/nights.ts';
import { endpoint } from '../../core/server/api/endpoint.ts';
import { next, nextOf, paging } from '../../core/server/api/parameters.ts';
import type { AddedPaths } from '../../core/server/api/sources.ts';
import { titleConfirmed } from './blame-changes.ts';
import type { NightDocument } from './night-document.ts';
import { nightNames, nightsFolder, readNight } from './night-folder.ts';

/** A year of nights and some. */
const most = 400;

/** The name of a night's folder. */
const night = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d{1,6})?$/, 'it must be the name of its folder');

const listedNights = z.strictObject({ nights: z.array(listedNight), next });

/**
 * A file of an older farm has the hashes of its script in its policy. As any file it is kept from
 * the origin of the explorer: its script can ask for nothing here.
 */
const policyOfFile = 'sandbox allow-scripts allow-downloads';

/** Adds the nights of a database to its API, and a page for each. */
export function addPaths({ database }: OpenedDatabase): AddedPaths {
  const sources = nightSources(database);
  // A year of nights takes a moment to read for the first time: it is over before a page asks.
  sources.all().catch(() => null);
  const alsoChanges = (): Promise<string> => sources.lastChange();
  return {
    endpoints: [
      endpoint({
        url: '/api/v1/nights',
        name: 'listNights',
        summary: `Nights of ${npxCrossfarm} nightly, the newest first`,
        query: z.strictObject(paging(1, most)),
        answer: listedNights,
        alsoChanges,
        async read(_params, { limit = most, cursor }) {
          const all = await sources.all();
          const from = Number(cursor ?? 0);
          const to = from + limit;
          return { nights: all.slice(from, to), next: nextOf(to < all.length ? [to] : null) };
        },
        table: { line: listedNight, rows: ({ nights }) => nights },
      }),
      endpoint({
        url: '/api/v1/nights/:id',
        name: 'getNight',
        summary: 'One night: why it ended as it did, its devices and steps',
        params: z.strictObject({ id: night }),
        answer: wholeNight,
        alsoChanges,
        read: ({ id }) => sources.one(id),
      }),
    ],
    pages: [
      {
        url: '/nights/:night',
        file: 'night.html',
        missing: 'There is no such night here.',
        isThere: async (params) => (await sources.one((params as NightParams).night)) !== null,
      },
      {
        url: '/nights/:night/report',
        missing: 'There is no report of this night here.',
        async make(params) {
          const html = await sources.report((params as NightParams).night);
          return html === null ? null : { html, policy: policyOfFile };
        },
      },
    ],
  };
}

interface NightParams {
  readonly night: string;
}

interface NightSources {
  /** Differs whenever a night changed. */
  lastChange(): Promise<string>;
  /** The newest first. */
  all(): Promise<readonly ListedNight[]>;
  /** Null when the night is unknown. */
  one(night: string): Promise<WholeNight | null>;
  /** The report that it wrote, as HTML; null when it is missing. */
  report(night: string): Promise<string | null>;
}

interface KeptDocument {
  /** Of its file; a document is replaced whole when it changes. */
  readonly state: string;
  readonly night: Promise<NightDocument | null>;
}

/** The nights next to a database. The document of one is read again only when it changed. */
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

function listed(night: NightDocument): ListedNight {
  const { id, status, startedAt, finishedAt, suite, run } = night;
  return { night: id, status, startedAt, finishedAt, suite, run };
}

function whole(night: NightDocument): WholeNight {
  const { anomalies = [] } = night.analysis ?? {};
  return {
    ...listed(night),
    hasReport: night.files.report !== null,
    reasons: night.reasons.map(({ level, text }) => ({ level, text })),
    headline: night.headline,
    changes: night.changes.map(({ text }) => text),
    devices: night.devices.map(({ id, ...device }) => ({ device: id, ...device })),
    anomalies: anomalies.map((one) => ({ id: one.id, title: titleConfirmed(one) })),
    steps: night.steps.map(({ step, outcome, ms, because }) => ({ step, outcome, ms, because })),
  };
}
