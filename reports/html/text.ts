/** Markup as a reader without a browser has it: its sentences, and none of its pictures. */
import { html, renderMarkup, printable, type Html } from './escape.ts';

export interface TextBlock {
  /** An item is an entry of a list: its first line, and the lines below. */
  readonly kind: 'heading' | 'paragraph' | 'item';
  readonly lines: readonly string[];
}

/** The part of an element that is read; this project does not load the DOM's types. */
interface Part {
  readonly localName: string;
  readonly textContent: string;
  readonly children: Iterable<Part>;
}

/** A caption explains a picture. */
const pictures: ReadonlySet<string> = new Set(['svg', 'figcaption']);

const headings: ReadonlySet<string> = new Set(['h2', 'h3', 'h4']);

/**
 * The headings, paragraphs, lists and facts of some markup, in order, on one line each. It is
 * printable, because `html` interpolates printable text only.
 */
export async function readText(content: Html): Promise<readonly TextBlock[]> {
  const { parseHTML } = await import('linkedom');
  const page = renderMarkup(
    html`<!doctype html>
      <html>
        <body>
          ${content}
        </body>
      </html>`,
  );
  const { document } = parseHTML(page) as unknown as { readonly document: { body: Part } };
  return blocksIn(document.body);
}

function blocksIn(part: Part): readonly TextBlock[] {
  const { localName } = part;
  if (pictures.has(localName)) return [];
  if (headings.has(localName)) return [{ kind: 'heading', lines: [partText(part)] }];
  if (localName === 'p') return [{ kind: 'paragraph', lines: [partText(part)] }];
  if (localName === 'li') return [{ kind: 'item', lines: entryOf(part) }];
  if (localName === 'dl') return factsOf([...part.children]);
  return [...part.children].flatMap(blocksIn);
}

/** The lines of its paragraphs, or its whole text. */
function entryOf(entry: Part): readonly string[] {
  const paragraphs = [...entry.children].filter(({ localName }) => localName === 'p');
  return (paragraphs.length === 0 ? [entry] : paragraphs).map(partText);
}

/** Each name with its fact. */
function factsOf(parts: readonly Part[]): readonly TextBlock[] {
  return parts.flatMap((part, index) => {
    const next = parts[index + 1];
    if (part.localName !== 'dt' || next === undefined) return [];
    return [{ kind: 'item', lines: [`${partText(part)}: ${partText(next)}`] }];
  });
}

function partText({ textContent }: Part): string {
  return printable(textContent).replace(/\s+/g, ' ').trim();
}
