import { z } from 'zod';
import { isTime } from '../../../reports/html/number.ts';
import type { DatabaseOption } from '../../core/cli/options.ts';
import { type Io, note } from '../../core/cli/io.ts';
import { profileProbe } from '../../core/probes/trace.ts';
import type { VersionsComparison } from './compare-versions.ts';
import type { Comparison } from './conclude.ts';
import type { VersionsOptions } from './options.ts';

/** The output of `crossfarm blame`, as far as a comparison shows it. */
const blameAnswer = z.object({
  functions: z.array(z.unknown()),
  /** For a terminal, without colours. */
  lines: z.array(z.string()),
  markdown: z.string(),
});

export type BlameAnswer = z.infer<typeof blameAnswer>;

interface BlamedRun extends DatabaseOption {
  readonly run: number;
  /** None of a comparison of two devices. */
  readonly browsers: readonly string[];
}

/**
 * Asks which functions made the differences of a comparison, by the command that a user would type.
 * @returns null where no time differs, or the versions cannot be profiled, which a note says
 */
export async function askBlame(
  { run, entries, interrupted }: VersionsComparison,
  { database, probe = [] }: DatabaseOption & Pick<VersionsOptions, 'probe'>,
  io: Io,
): Promise<BlameAnswer | null> {
  const differing = entries.filter(({ discovery, pair }) => discovery && isTime(pair.metric.unit));
  // A profiled comparison is itself a part of a blame.
  if (interrupted || differing.length === 0 || probe.includes(profileProbe)) return null;
  const browsers = [...new Set(differing.map(({ pair }) => pair.a.deviceId))];
  return callBlame({ run, browsers, database }, io);
}

/** The same of two devices, whose time differs for certain. */
export async function askBlameOfDevices(
  { run, decision, pair, interrupted }: Comparison,
  { database, probe = [] }: DatabaseOption & Pick<VersionsOptions, 'probe'>,
  io: Io,
): Promise<BlameAnswer | null> {
  const isDifferent = decision?.verdict === 'faster' || decision?.verdict === 'slower';
  if (interrupted || !isDifferent || !isTime(pair.metric.unit)) return null;
  return probe.includes(profileProbe) ? null : callBlame({ run, browsers: [], database }, io);
}

/** Asks which functions made the differences of a stored comparison. */
export async function callBlame(
  { run, browsers, database }: BlamedRun,
  io: Io,
): Promise<BlameAnswer | null> {
  const called = await io.callCommand?.(
    [
      ...['blame', String(run), '--database', database],
      ...(browsers.length === 0 ? [] : ['--browsers', browsers.join(',')]),
    ],
    {
      onLine: (line) => {
        note(io, line);
      },
    },
  );
  const read = blameAnswer.safeParse(called?.document);
  if (read.success) return read.data;
  const why = called?.text.split('\n').at(-1) ?? 'there is no such command';
  note(io, `no function is blamed: ${why}`);
  return null;
}
