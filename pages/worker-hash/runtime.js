import { createHash } from 'node:crypto';

/**
 * MD5 by the runtime's own crypto, as the source called it for each hash, but from bytes to bytes.
 * @param {Uint8Array} message
 * @returns {Uint8Array}
 */
export function md5(message) {
  return createHash('md5').update(message).digest();
}
