import { pbkdf2, pbkdf2Async } from '../vendor/noble-hashes/pbkdf2.js';
import { sha256 } from '../vendor/noble-hashes/sha2.js';

/**
 * @typedef {Uint8Array<ArrayBuffer>} Salt
 *
 * Derives a key of 32 bytes from the password, in one of three ways that give the same.
 * @typedef {(salt: Salt, rounds: number) => Uint8Array | Promise<Uint8Array>} Derive
 */

const keyBytes = 32;

const encoder = new TextEncoder();

/**
 * @param {string} text
 * @returns {Promise<Readonly<Record<'pbkdf2' | 'pbkdf2Async' | 'deriveBits', Derive>>>}
 */
export async function openPassword(text) {
  const password = encoder.encode(text);
  const subtle = findSubtle();
  const secret = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  return {
    pbkdf2: (salt, rounds) => pbkdf2(sha256, password, salt, { c: rounds, dkLen: keyBytes }),
    pbkdf2Async: (salt, rounds) =>
      pbkdf2Async(sha256, password, salt, { c: rounds, dkLen: keyBytes }),
    async deriveBits(salt, rounds) {
      const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds };
      return new Uint8Array(await subtle.deriveBits(algorithm, secret, 8 * keyBytes));
    },
  };
}

/** @returns {SubtleCrypto} */
function findSubtle() {
  const { crypto } = /** @type {{ crypto?: Crypto }} */ (globalThis);
  if (crypto?.subtle !== undefined) return crypto.subtle;
  throw new Error(
    'This host has no crypto.subtle: pages have it over HTTPS and from localhost only.',
  );
}

/**
 * A test vector of RFC 7914, section 11, of which this is the first half: a key of 32 bytes.
 * Both implementations must give it before anything is measured.
 *
 * @throws {Error}
 */
export async function checkKnownKey() {
  const known = '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc';
  const ways = await openPassword('passwd');
  for (const [name, derive] of Object.entries(ways)) {
    const key = toHex(await derive(encoder.encode('salt'), 1));
    if (key !== known) throw new Error(`${name} gave ${key} for a known password, not ${known}.`);
  }
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
