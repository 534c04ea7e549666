import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Exhibit } from '../../../../reports/gallery.ts';
import { comparisonSuite, versionsSuite } from '../../analysis/run-pairs.ts';
import { FarmError } from '../../errors.ts';
import type { Run } from '../../model/run.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';
import { farmVersion } from '../../project.ts';
import { addedExhibits } from '../extensions.ts';
import { withStore, writeWhole } from '../records.ts';
import { renderRuns } from './report.ts';

export interface GalleryOptions {
  readonly databases: readonly string[];
  /** Where the pages are written; other files of it stay. */
  readonly folder: string;
}

export interface WrittenGallery {
  /** Of the page that it begins with; absolute. */
  readonly path: string;
  /** Of all pages. */
  readonly bytes: number;
  readonly pages: readonly string[];
  /** Why a part is not there, a sentence each. */
  readonly leftOut: readonly string[];
}

/**
 * Writes a gallery of what some databases hold: pages without a server, and one that leads to them.
 * @throws FarmError `unknown-run` without a database, `cannot-write`.
 */
export async function writeGallery({ databases, folder }: GalleryOptions): Promise<WrittenGallery> {
  const missing = databases.find((database) => !existsSync(database));
  if (missing !== undefined) {
    throw new FarmError('unknown-run', {
      what: `No run was found: ${missing} does not exist.`,
      next: `Make one: ${npxCrossfarm} run`,
    });
  }
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const exhibits = [
    ...(await addedExhibits({ databases, ...writing })),
    ...(await Promise.all(samples.map((sample) => showSample(sample, databases)))),
  ];
  const { renderGallery } = await import('../../../../reports/gallery.ts');
  const shown = exhibits.filter((one) => one.kind === 'page');
  const index = { file: 'index.html', html: renderGallery({ exhibits, ...writing }) };
  const pages = [...shown, index];
  for (const { file, html } of pages) await writeWhole(resolve(folder, file), html);
  return {
    path: resolve(folder, index.file),
    bytes: pages.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0),
    pages: shown.map(({ file }) => join(folder, file)),
    leftOut: exhibits.flatMap((one) =>
      one.kind === 'missing' ? `${one.name}: ${one.because}` : [],
    ),
  };
}

/** A kind of run whose newest one a gallery shows with its report. */
interface Sample {
  readonly file: string;
  readonly name: string;
  readonly about: string;
  readonly suite: string;
  /** The command that makes such a run. */
  readonly command: string;
}

const samples: readonly Sample[] = [
  {
    file: 'quick-start.html',
    name: 'The first run',
    about: 'A few small cases in every browser of the machine.',
    suite: 'quick',
    command: 'start',
  },
  {
    file: 'versions.html',
    name: 'Versions of a page',
    about: 'Old and new on one axis, in each browser, until it was decided.',
    suite: versionsSuite,
    command: 'compare old.html new.html',
  },
  {
    file: 'browsers.html',
    name: 'Two browsers',
    about: 'One case in two browsers, until it was decided.',
    suite: comparisonSuite,
    command: 'compare chromium firefox',
  },
];

async function showSample(sample: Sample, databases: readonly string[]): Promise<Exhibit> {
  const { suite, command, ...shown } = sample;
  const newest = await findNewest(databases, (run) => run.suite === suite);
  if (newest === null) {
    const because = `no stored run is of this kind; ${npxCrossfarm} ${command} makes one.`;
    return { kind: 'missing', part: 'samples', name: sample.name, because };
  }
  const { html } = await renderRuns([newest.run.id], { database: newest.database });
  const { headingOf } = await import('../../../../reports/html/page.ts');
  return { kind: 'page', part: 'samples', ...shown, html, finding: headingOf(html) };
}

/** Finds the newest finished run of some databases that is of a kind, and its database. */
async function findNewest(
  databases: readonly string[],
  isWanted: (run: Run) => boolean,
): Promise<{ readonly run: Run; readonly database: string } | null> {
  const found = [];
  for (const database of databases) {
    const runs = await withStore(database, (store) => store.listRuns());
    const wanted = runs.filter((one) => one.status === 'finished' && isWanted(one));
    // Smoke tests decide nothing.
    const run = wanted.find(({ preset }) => preset === undefined) ?? wanted[0];
    if (run !== undefined) found.push({ run, database });
  }
  const newest = found.toSorted((a, b) => b.run.startedAt.localeCompare(a.run.startedAt));
  return newest.find(({ run }) => run.preset === undefined) ?? newest[0] ?? null;
}
