/** Foreign text for a terminal. This file loads nothing, because every command begins with it. */

/** ECMA-48 sequences: CSI, OSC up to its terminator, and two-character escapes. */
const terminalEscapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

/** Removes whole terminal escapes from a text of a page; control characters become spaces. */
export function plain(text: string): string {
  return text
    .replace(terminalEscapes, '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

/** Bold, dim and colours, and their ends: not what hides a text, or paints it in the ground's colour. */
const ownColour = /^\u001b\[(?:0|1|2|22|3[1-79]|9[0-7])m$/;

/**
 * A text of several lines, perhaps in colour and by anyone, which does nothing else to a terminal.
 */
export function onlyColoured(text: string): string {
  return text
    .replace(terminalEscapes, (sequence) => (ownColour.test(sequence) ? sequence : ''))
    .replace(
      /\u001b(?!\[\d+m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      ' ',
    );
}
