/** Content of the files, and the proof that all of it was read. */

/** Largest number of bytes that one call of `crypto.getRandomValues` gives. */
const mostAtOnce = 65536;

/**
 * Random bytes, which no file system can store in less.
 * @param {number} length
 */
export function randomContent(length) {
  const content = new Uint8Array(length);
  for (let start = 0; start < length; start += mostAtOnce) {
    crypto.getRandomValues(content.subarray(start, start + mostAtOnce));
  }
  return content;
}

/**
 * FNV-1a of 32 bits (Fowler, Noll and Vo): every byte and its place count.
 * @param {Uint8Array} content
 */
export function checksum(content) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < content.length; i++) {
    hash = Math.imul(hash ^ Number(content[i]), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * Facts of what was written, which reads must find again.
 * @typedef {object} Expected
 * @property {number} bytes of each file
 * @property {readonly number[]} checksums one of each file
 */

/**
 * Facts of what was read, one of each file.
 * @typedef {object} Seen
 * @property {readonly number[]} lengths
 * @property {readonly number[]} checksums
 */

/**
 * @param {readonly (Uint8Array | ArrayBuffer)[]} contents
 * @returns {Seen}
 */
export function describeContents(contents) {
  const all = contents.map((one) => (one instanceof Uint8Array ? one : new Uint8Array(one)));
  return { lengths: all.map(({ length }) => length), checksums: all.map(checksum) };
}

/**
 * @param {Seen} seen
 * @param {Expected} expected
 * @throws {Error} that says which file was not read as it was written.
 */
export function checkContents({ lengths, checksums }, expected) {
  if (lengths.length !== expected.checksums.length) {
    const counts = `${String(lengths.length)} instead of ${String(expected.checksums.length)}`;
    throw new Error(`The number of files that were read is ${counts}.`);
  }
  for (const [index, length] of lengths.entries()) {
    if (length !== expected.bytes) {
      const sizes = `${String(length)} bytes instead of ${String(expected.bytes)}`;
      throw new Error(`File ${String(index)} gave ${sizes}.`);
    }
    if (checksums[index] !== expected.checksums[index]) {
      throw new Error(`File ${String(index)} gave other bytes than were written.`);
    }
  }
}
