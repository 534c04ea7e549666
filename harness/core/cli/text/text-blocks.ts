import { Help } from 'commander';
import pc from 'picocolors';
import type { TextBlock } from '../../../../reports/comparison-text.ts';
import { plain } from '../../run/progress/plain-text.ts';

/** In fewer columns lines of a word or two are no easier to read than what the terminal breaks itself. */
const narrowest = 20;

/** The blocks of a report's text as lines, none longer than the terminal is wide where that can be. */
export function blocksText(blocks: readonly TextBlock[], columns = Infinity): string {
  return blocks
    .flatMap((block, index) => wrapLines(block, { columns, first: index === 0 }))
    .join('\n');
}

function wrapLines(
  { kind, lines }: TextBlock,
  { columns, first }: { readonly columns: number; readonly first: boolean },
): readonly string[] {
  switch (kind) {
    case 'heading':
      return [...(first ? [] : ['']), ...lines.map((line) => pc.bold(wrapped(line, columns)))];
    case 'paragraph':
      return lines.map((line) => wrapped(line, columns));
    case 'item':
      return lines.map((line, index) => {
        const text = wrapped(line, columns - indent.length).replaceAll('\n', `\n${indent}`);
        return `${index === 0 ? '- ' : indent}${text}`;
      });
  }
}

const indent = '  ';

/** A text on lines of at most `width` characters; what cannot be seen is left out. */
export function wrapped(text: string, columns: number): string {
  return wrappedInColours(plain(text), columns);
}

/** The same for the farm's own text, which may have colours. */
export function wrappedInColours(text: string, columns: number): string {
  const help = new Help();
  help.minWidthToWrap = narrowest;
  return help.boxWrap(text, columns);
}
