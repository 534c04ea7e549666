import { FarmError } from '../../core/errors.ts';

/** Splits a command as one types it: words between blanks, and what stands in quotes as one. No shell reads it. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  const pattern = /\s*((?:[^\s'"]|'[^']*'|"[^"]*")+)/y;
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const [, word] = pattern.exec(text) ?? [];
    if (word === undefined) {
      throw new FarmError('bad-argument', {
        what: 'A quote of the command has no end.',
        next: `Write what has blanks between two of them: 'a b'`,
      });
    }
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}
