import { type AttemptOptions, installFromDistribution } from './attempt.ts';
import { debianPackages, describeRemedy } from '../system-packages.ts';
import { findOnPath } from './executable.ts';

interface AbOptions extends AttemptOptions {
  /** Says what is missing and changes nothing. */
  readonly check: boolean;
  /** Looks for it on PATH, unless a test looks elsewhere. */
  readonly find?: () => string | null;
}

/** Finds `ab`, with which a study loaded its server, or installs it where that is possible, and says which; it is the path, or null. */
export async function findOrInstallAb(options: AbOptions): Promise<string | null> {
  const { check, say, find = () => findOnPath(['ab']) } = options;
  if (find() === null && !check) await installFromDistribution(debianPackages('ab'), 'ab', options);
  const path = find();
  say(
    path === null
      ? `ab is missing: ${describeRemedy('ab')}; cases with generator=ab fail without it`
      : `ab: found at ${path}`,
  );
  return path;
}
