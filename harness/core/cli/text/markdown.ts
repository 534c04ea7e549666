import { plain } from '../../run/progress/plain-text.ts';

/**
 * A text as Markdown has it, on one line of a table. Names and errors may be hostile: they end no
 * cell, begin no HTML, mention no user and link nowhere.
 */
export function escapedMarkdown(text: string): string {
  return (
    plain(text)
      // With the ampersand: an entity is a sign again before mentions and links are looked for.
      .replace(/[\\`*_{}[\]#+!|~&]/g, '\\$&')
      .replaceAll('<', '&lt;')
      // Invisible word joiners: programs that look for these signs do not know backslashes.
      .replaceAll('@', '@\u2060')
      .replace(/#(?=\d)/g, '#\u2060')
      .replaceAll('://', ':\u2060//')
      .replaceAll(/www\./gi, (found) => `${found.slice(0, 3)}\u2060.`)
      .replace(/\s+/g, ' ')
  );
}

/** Any text as Markdown code, unchanged: a command, to be pasted. */
export function codeSpan(text: string): string {
  const longest = longestFence(text);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${plain(text).replace(/\s+/g, ' ')}${space}${fence}`;
}

/** Lines of text as a block of Markdown code: nothing in them ends it. */
export function codeBlock(text: string): readonly string[] {
  const fence = '`'.repeat(Math.max(2, longestFence(text)) + 1);
  return [`${fence}text`, text, fence];
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Code in a cell of a table, which a pipe ends even in code, and behind a backslash always. */
export function codeCell(text: string): string {
  return text.includes('\\|') ? escapedMarkdown(text) : codeSpan(text).replaceAll('|', '\\|');
}
