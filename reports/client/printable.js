/** Text from a page, a browser or a device is hostile, in reports and in the explorer alike. */

/** ECMA-48 sequences: CSI, OSC up to its terminator, and two-character escapes. */
const terminalEscapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

/**
 * Characters that show nothing themselves: C0 and C1 controls, direction marks, embeddings, overrides and
 * isolates (they reorder the text around them, "Trojan Source", CVE-2021-42574), zero-width
 * spaces, the byte order mark, and tag characters. The joiner U+200D stays: emoji and Indic scripts need it.
 */
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** More combining marks than this on one letter paint over the lines around it. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu;

const loneSurrogates = /\p{Surrogate}/gu;

/**
 * A string without what a reader cannot see: terminal escapes, controls, and marks that turn text around.
 * @param {string} text
 */
export function printable(text) {
  return text
    .replace(terminalEscapes, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, ' ')
    .replace(invisible, '')
    .replace(loneSurrogates, '\ufffd')
    .replace(stackedMarks, '$1');
}
