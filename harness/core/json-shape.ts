/** Bounds of what is parsed as JSON: nothing that the farm reads comes near them. */
const deepest = 100;
const longestText = 2 ** 20;
const mostValues = 20_000_000;

/**
 * Says why a text is too much to be parsed as JSON, without parsing it: what parses and checks a value
 * goes down into it by recursion, and takes many times the memory of its text.
 * @returns half a sentence, or null. Mistakes in its syntax are left to the parser.
 */
export function findExcess(text: string): string | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfText(text, at);
      if (end - at - 1 > longestText) {
        return `it has a text of more than ${String(longestText)} characters`;
      }
      at = end;
    } else if (sign === '[' || sign === '{') {
      depth += 1;
      values += 1;
      if (depth > deepest) return `it is nested more than ${String(deepest)} deep`;
    } else if (sign === ']' || sign === '}') {
      depth -= 1;
    } else if (sign === ',') {
      values += 1;
    }
    if (values > mostValues) return `it has more than ${String(mostValues)} values`;
  }
  return null;
}

/** Place of the closing quote; the end of the text when it is missing. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
