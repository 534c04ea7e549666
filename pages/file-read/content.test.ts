import { test, expect } from '@playwright/test';
import { checkContents, checksum, describeContents, randomContent } from './content.js';

test('the checksum is FNV-1a', () => {
  // From the test vectors of its authors.
  expect(checksum(new TextEncoder().encode(''))).toBe(0x811c9dc5);
  expect(checksum(new TextEncoder().encode('a'))).toBe(0xe40c292c);
  expect(checksum(new TextEncoder().encode('foobar'))).toBe(0xbf9cf968);
});

test('random content has every length, and no two pieces are alike', () => {
  for (const length of [1, 2048, 65_536, 65_537, 1_048_576]) {
    const content = randomContent(length);
    expect(content).toHaveLength(length);
    // The last 1024 bytes are zero by chance once in 2 ** 8192.
    if (length >= 2048) expect(content.slice(-1024).some((byte) => byte !== 0)).toBe(true);
  }
  const pieces = randomContent(3 * 65_536);
  expect(checksum(pieces.slice(0, 65_536))).not.toBe(checksum(pieces.slice(65_536, 131_072)));
});

test('contents are compared file by file', () => {
  const contents = [randomContent(8), randomContent(8).buffer];
  const seen = describeContents(contents);
  const expected = { bytes: 8, checksums: seen.checksums };
  checkContents(seen, expected);
  expect(() => {
    checkContents(describeContents(contents.slice(1)), expected);
  }).toThrow(/number of files.* 1 .*\b2\b/);
  expect(() => {
    checkContents(describeContents([...contents].reverse()), expected);
  }).toThrow(/^File 0 .*other bytes/);
});
