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
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${plain(text).replace(/\s+/g, ' ')}${space}${fence}`;
}

/** The same in a cell of a table, which a pipe ends even in code, and behind a backslash always. */
export function codeCell(text: string): string {
  return text.includes('\\|') ? escapedMarkdown(text) : codeSpan(text).replaceAll('|', '\\|');
}
