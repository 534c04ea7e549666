import { readFile } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { caseName } from '../../../core/model/case.ts';
import type { Reading } from '../../../core/model/reading.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { profileProbe } from '../../../core/probes/trace.ts';
import { type Profile, profileSchema } from './profile.ts';

/** A trial of a run that has a profile, or should have one. */
export interface ProfiledTrial {
  readonly deviceId: string;
  readonly caseName: string;
  /** The same for all versions of a page. */
  readonly caseOfVersions: string;
  /** Of a page that is compared; null for others. */
  readonly version: string | null;
  readonly block: number;
  /** Place of its file, relative to the folder of the database; or why there is none, half a sentence. */
  readonly profile: { readonly file: string } | { readonly notSupported: string };
}

/** Lists the trials of a run that were profiled, in its order. */
export function listProfiled({ trials }: Pick<RunRecord, 'trials'>): readonly ProfiledTrial[] {
  return trials.flatMap(({ job, outcome }) => {
    const readings = outcome.kind === 'completed' ? outcome.readings : [];
    const reading = readings.find(({ probe }) => probe === profileProbe);
    if (reading === undefined) return [];
    const { deviceId, block } = job;
    const { benchmark, parameters } = job.case;
    const { version } = parameters;
    const others = benchmark.parameters.filter(({ name }) => name !== 'version');
    return [
      {
        deviceId,
        block,
        caseName: caseName(job.case),
        caseOfVersions: caseName({ parameters, benchmark: { ...benchmark, parameters: others } }),
        version: version === undefined ? null : String(version),
        profile: placeOf(reading),
      },
    ];
  });
}

function placeOf(reading: Reading): ProfiledTrial['profile'] {
  if ('notSupported' in reading) return { notSupported: reading.notSupported };
  const file = 'values' in reading ? reading.values['file']?.value : undefined;
  // A database may come from anywhere: what it names lies in the folder of profiles.
  const isHere =
    typeof file === 'string' && /^profiles[\\/]run-\d+[\\/][\w.-]+\.json\.gz$/.test(file);
  return isHere ? { file: normalize(file) } : { notSupported: 'its file has no place here' };
}

/** Longest unpacked profile that is read, in bytes. */
const mostBytes = 256 * 2 ** 20;

const unpack = promisify(gunzip);

/** @returns null where the file is gone, or holds no profile */
export async function readProfile(database: string, file: string): Promise<Profile | null> {
  try {
    const packed = await readFile(join(dirname(resolve(database)), file));
    const text = (await unpack(packed, { maxOutputLength: mostBytes })).toString('utf8');
    return profileSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The last trial of each case on each device: its engine had the longest to settle. */
export function chooseLast(profiled: readonly ProfiledTrial[]): readonly ProfiledTrial[] {
  const chosen = new Map<string, ProfiledTrial>();
  for (const one of profiled) {
    if ('file' in one.profile) chosen.set(`${one.deviceId} ${one.caseName}`, one);
  }
  return [...chosen.values()];
}

export interface ReadTrial extends ProfiledTrial {
  readonly title: string;
  readonly file: string;
  readonly data: Profile;
}

/** Reads the profiles of trials; those whose file is gone are left out. */
export async function readChosen(
  database: string,
  chosen: readonly ProfiledTrial[],
): Promise<readonly ReadTrial[]> {
  const read: ReadTrial[] = [];
  for (const one of chosen) {
    const file = 'file' in one.profile ? one.profile.file : '';
    const data = await readProfile(database, file);
    const title = `${one.deviceId} · ${one.caseName} · block ${String(one.block)}`;
    if (data !== null) read.push({ ...one, title, file, data });
  }
  return read;
}
