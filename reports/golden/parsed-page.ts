import { parseHTML } from 'linkedom';

/** What tests read of an element; this project does not load the DOM's own types. */
export interface Part {
  textContent: string;
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
}

/** A report without a browser, for tests of what stands in it. */
export function parsePage(markup: string): Part {
  const { document } = parseHTML(markup) as unknown as { readonly document: Part };
  return document;
}
