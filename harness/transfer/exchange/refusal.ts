import { FarmError } from '../../errors.ts';

/** Why a file is not taken in: half a sentence, which `badImport` completes with the file's name. */
export class ImportRefusal extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'ImportRefusal';
  }
}

export function badImport(path: string, why: string): FarmError {
  return new FarmError('bad-import', {
    what: `${path} is refused: ${why}.`,
    next: 'Nothing of it was stored. It takes a database of crossfarm, or what farm export --format json wrote.',
  });
}
