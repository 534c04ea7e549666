import { html } from '../../../../reports/html/escape.ts';
import type { Section } from '../../../../reports/sections/report.ts';
import { versionNames } from '../../../core/analysis/run-pairs.ts';
import type { FindingsReading } from '../../../core/app/extensions.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';
import type { Findings } from '../../../core/results/index.ts';
import { findDifferences, pairVersions } from './find-differences.ts';
import { describeFirst, drawTables } from './flame-page.ts';
import { bundleFlameLibrary, drawFlames, flamePart } from './flame-part.ts';
import { chooseLast, listProfiled, readChosen } from './stored-profiles.ts';
import { summarizeProfiles } from './summarize-profiles.ts';

/** A report may be mailed; `crossfarm profile` shows all. */
const most = { profiles: 6, characters: 600_000 };

/** Adds the profiles of a run: of versions of a page their difference. */
export async function addFindings({
  record,
  database,
}: FindingsReading): Promise<Partial<Findings>> {
  const profiled = listProfiled(record);
  if (profiled.every(({ profile }) => 'notSupported' in profile)) return {};
  const pairs = pairVersions(profiled, versionNames(record) ?? []);
  const differences = await findDifferences(database, pairs);
  const chosen = differences.length > 0 ? [] : chooseLast(profiled).slice(0, most.profiles);
  const profiles = await readChosen(database, chosen);
  if (differences.length + profiles.length === 0) return {};
  return { profiles: summarizeProfiles({ differences, profiles }, most.characters) };
}

/** Leads to the profiles from the first screen, also that of the explorer. */
export const profileInShort: Section = {
  id: 'profiled',
  title: 'Profiled',
  shape: 'whole',
  after: 'in-short',
  render: ({ findings: { profiles } }) =>
    profiles !== undefined &&
    html`<p>
      Profiled: <bdi>${describeFirst(profiles)}</bdi>. <a href="#profiles">Flame graphs</a>
    </p>`,
};

export const profileSection: Section = {
  id: 'profiles',
  title: 'Profiles',
  heading: 'Which function took the time',
  after: 'cpu',
  ...flamePart,
  library: bundleFlameLibrary,
  render: ({ findings: { profiles, runs } }) =>
    profiles !== undefined &&
    html`${drawFlames(profiles.threads, profiles.first)}${drawTables(profiles)}
      <p class="soft">
        On a page of its own, with all threads:
        <code data-copy>${npxCrossfarm} profile ${runs[0]?.id}</code>
      </p>`,
};
