import { statSync } from 'node:fs';
import { FarmError } from '../../errors.ts';
import { findExternalPlace } from '../../model/case.ts';
import type { Job } from '../../model/plan.ts';
import type { ExternalFolder, ExternalFolders } from '../../server/files.ts';

/**
 * Lists the folders of pages that are not ours which a plan needs, by benchmark.
 * @throws FarmError `bad-suite` for one that is not there.
 */
export function externalFolders({
  jobs,
}: {
  readonly jobs: readonly Pick<Job, 'case'>[];
}): ExternalFolders {
  const folders = new Map<string, ExternalFolder>();
  for (const { case: one } of jobs) {
    const external = findExternalPlace(one);
    if (external?.place.kind !== 'folder') continue;
    const { folder, beside } = external.place;
    const { network, warm, spa, isolated } = one.benchmark.guest ?? {};
    folders.set(external.mount, {
      folder,
      ...(beside !== undefined && { beside }),
      ...(network !== undefined && { network }),
      ...(warm && { cached: warm }),
      ...(spa && { spa }),
      ...(isolated === false && { isolated }),
    });
  }
  for (const [id, { folder }] of folders) requireFolder(id, folder);
  return folders;
}

function requireFolder(id: string, folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new FarmError('bad-suite', {
    what: `The pages of ${id} are not there: ${folder} is not a folder.`,
    next: 'Put a copy there, or correct "folder" of this guest in its suite.',
  });
}
