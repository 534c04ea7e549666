import { versionsSuite } from '../../core/analysis/run-pairs.ts';
import type { Continuation } from '../../core/app/extensions.ts';
import { splitWords } from '../../core/app/run/repeat-command.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { Run } from '../../core/model/run.ts';
import type { Store } from '../../core/store/store.ts';
import { findOpenBisection } from './journal.ts';

/** Finds the bisection that a run belongs to, and that has no answer yet. */
export async function findContinuation(
  run: Run,
  { path }: Pick<Store, 'path'>,
): Promise<Continuation | null> {
  if (run.suite !== versionsSuite) return null;
  const skipped = splitWords(npxCrossfarm).length;
  // `compare <commit> …`: the first lies at an end of what is left, and was compared before.
  const commit = splitWords(run.command)[skipped + 1] ?? '';
  const command = await findOpenBisection(path, commit);
  if (command === null) return null;
  const args = splitWords(command).slice(skipped);
  return { what: 'an interrupted bisection', args, takes: ['--max-blocks', '--budget'] };
}
