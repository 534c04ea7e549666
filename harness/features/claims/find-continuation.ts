import type { Continuation } from '../../core/app/extensions.ts';
import { splitWords } from '../../core/app/run/repeat-command.ts';
import type { Run } from '../../core/model/run.ts';
import type { Store } from '../../core/store/store.ts';
import { questionState } from './judging/unsettled.ts';

/** Finds out how a claim is continued whose newest run left something open. */
export async function findContinuation(
  { id, command }: Run,
  store: Store,
): Promise<Continuation | null> {
  const words = splitWords(command);
  const what = words[words.indexOf('reproduce') + 1] ?? '';
  // Findings and bundles are measured from nothing.
  if (!words.includes('reproduce') || !/^(?!N)[A-Z]\d+$/.test(what)) return null;
  const record = await store.readRun(id);
  if (record?.question === undefined || (await store.readSetting(id)) === null) return null;
  const [newest] = await store.listAsked(record.question.id);
  if (newest !== id || questionState(record.question, record.trials).kind !== 'go-on') return null;
  return {
    what: `the open claim ${what}`,
    args: ['claims', 'reproduce', what, ...listSettings(words)],
    takes: ['--max-blocks', '--budget'],
  };
}

/** Options that a claim was asked with; its seed would begin another run, and blocks and time are used up. */
const settings = /^--(?:inventory|pages|deadline|measurement|probe|device|param|without|cores)$/;

function listSettings(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    if (word === '--no-repeat') return [word];
    const value = words[at + 1];
    return settings.test(word) && value !== undefined ? [word, value] : [];
  });
}
