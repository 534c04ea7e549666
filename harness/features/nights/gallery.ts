import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exhibit } from '../../../reports/gallery.ts';
import { headingOf } from '../../../reports/html/page.ts';
import type { AddExhibits } from '../../core/app/extensions.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { listNights } from './night-folder.ts';

/** Adds the report of the newest night that has one. */
export const addExhibits: AddExhibits = async ({ databases }) => {
  const nights = (await Promise.all(databases.map(listNights))).flat();
  const newest = nights.toSorted((a, b) =>
    b.document.startedAt.localeCompare(a.document.startedAt),
  );
  const facts = { part: 'samples', name: 'A night' } as const;
  for (const { folder } of newest) {
    const html = await readFile(join(folder, 'report.html'), 'utf8').catch(() => null);
    if (html === null) continue;
    const about = 'What a night measured, and how it compares with earlier ones.';
    const page: Exhibit = {
      ...facts,
      kind: 'page',
      file: 'night.html',
      html,
      finding: headingOf(html),
      about,
    };
    return [page];
  }
  const because = `no night has a report; ${npxCrossfarm} nightly makes one.`;
  return [{ ...facts, kind: 'missing', because }];
};
