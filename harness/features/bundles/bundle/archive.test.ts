import { test, expect } from '@playwright/test';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { aZip, type ZipEntry } from '../../../testing/zip.ts';
import { unpackArchive } from './archive.ts';
import { Refusal, type BundleLimits } from './format.ts';

const limits: BundleLimits = {
  archiveBytes: 2 ** 20,
  entries: 10,
  entryBytes: 1_000,
  totalBytes: 2_000,
};

const unpack = (archive: Buffer): Record<string, string> =>
  Object.fromEntries(
    [...unpackArchive(archive, limits)].map(([name, bytes]) => [
      name,
      Buffer.from(bytes).toString(),
    ]),
  );

test('entries come out as they went in, deflated or not', () => {
  const archive = aZip([
    { name: 'a.txt', data: 'one' },
    { name: 'pages/fib/b.txt', data: 'two', method: 0 },
    { name: 'empty', data: '' },
  ]);
  expect(unpack(archive)).toEqual({ 'a.txt': 'one', 'pages/fib/b.txt': 'two', empty: '' });
});

test('an archive that a library wrote is read', () => {
  const archive = zipSync({ 'a.txt': Buffer.from('one'), pages: { 'b.js': Buffer.from('two') } });
  expect(unpack(Buffer.from(archive))).toMatchObject({ 'a.txt': 'one', 'pages/b.js': 'two' });
});

test("ignores added folders and a comment at the archive's end", () => {
  const folder: ZipEntry = { name: 'pages/', data: '', method: 0, mode: 0o040755 };
  const archive = aZip([folder, { name: 'pages/a', data: 'x' }], { comment: 'hello PK\x05\x06' });
  expect(unpack(archive)).toEqual({ 'pages/a': 'x' });
});

const plainPath = /is not a plain relative path/;

const hostile: readonly [string, () => Buffer, RegExp][] = [
  ['no archive', () => Buffer.from('hello'), /not a ZIP archive/],
  ['nothing', () => Buffer.alloc(0), /not a ZIP archive/],
  ['its first half', () => aZip([{ name: 'a', data: 'x' }]).subarray(0, 30), /not a ZIP archive/],
  ...[
    '../a',
    'a/../../b',
    '/etc/passwd',
    '..\\a',
    'C:\\a',
    'C:/a',
    'c:a',
    './a',
    'a//b',
    '.hidden',
    'a/.git/config',
    'a\0b',
    'a\nb',
    'a:stream',
    'nul',
    'pages/con.txt',
    'trailing.',
    'sp ace',
    'a∕b',
    '~/a',
    '',
    'x'.repeat(201),
  ].map((name): [string, () => Buffer, RegExp] => [
    `the name ${JSON.stringify(name.slice(0, 20))}`,
    () => aZip([{ name, data: 'x' }]),
    plainPath,
  ]),
  [
    'a name that is not UTF-8',
    () => aZip([{ name: Buffer.from([0xff, 0x61]), data: '' }]),
    /UTF-8/,
  ],
  [
    'a symbolic link',
    () => aZip([{ name: 'link', data: '/etc/passwd', mode: 0o120777 }]),
    /"link" is a symbolic link/,
  ],
  ['a device', () => aZip([{ name: 'null', data: '', mode: 0o020666 }]), /or a device/],
  ['one name twice', () => aZip([a('x'), a('y')]), /has the entry "a" twice/],
  ['names that differ in case', () => aZip([a('x'), { name: 'A', data: 'y' }]), /"A" twice/],
  [
    'a file that is a folder, too',
    () => aZip([a('x'), { name: 'a/b', data: 'y' }]),
    /"a\/b" lies in another file/,
  ],
  ['a folder with contents', () => aZip([{ name: 'a/', data: 'x' }]), /a folder with contents/],
  [
    'two names for one entry',
    () => aZip([{ name: 'a', data: 'x', localName: 'b' }]),
    /another name in its own header/,
  ],
  ['a password', () => aZip([{ name: 'a', data: 'x', flags: 1 }]), /is encrypted/],
  ['another compression', () => aZip([{ name: 'a', data: 'x', method: 12 }]), /unknown method 12/],
  [
    'a wrong size',
    () => aZip([{ name: 'a', data: 'xyz', bytes: 2 }]),
    /not what the directory says/,
  ],
  ['a wrong checksum', () => aZip([{ name: 'a', data: 'xyz', crc: 1 }]), /not what the directory/],
  [
    'damaged data',
    () => aZip([{ name: 'a', data: 'zz', method: 0 }]).fill(0xff, 31, 33),
    /damaged/,
  ],
  ['several disks', () => aZip([a('x')], { disk: 1 }), /split archive/],
  ['a ZIP64 count', () => aZip([a('x')], { count: 0xffff }), /ZIP64/],
  ['a count of too many', () => aZip([a('x')], { count: 2 }), /directory is cut off/],
  ['a count of too few', () => aZip([a('x'), b('y')], { count: 1 }), /does not end where it says/],
  ['a ZIP64 size', () => aZip([{ name: 'a', data: 'x', bytes: 0xffffffff }]), /ZIP64/],
  [
    'too many entries',
    () => aZip(Array.from({ length: 11 }, (_, index) => ({ name: `f${String(index)}`, data: '' }))),
    /11 entries, and 10 are read at most/,
  ],
  ['an entry that is too large', () => aZip([{ name: 'a', data: 'x'.repeat(1001) }]), /more than/],
  [
    'a stored entry that is too large',
    () => aZip([{ name: 'a', data: 'x'.repeat(1001), method: 0 }]),
    /more than the 1000 bytes/,
  ],
  [
    'entries that are too large together',
    () => aZip(['a', 'b', 'c'].map((name) => ({ name, data: 'x'.repeat(900) }))),
    /"c" unpacks to more than the 200 bytes/,
  ],
];

function a(data: string): ZipEntry {
  return { name: 'a', data };
}

function b(data: string): ZipEntry {
  return { name: 'b', data };
}

for (const [what, make, sentence] of hostile) {
  test(`an archive with ${what} is refused`, () => {
    const archive = make();
    expect(() => unpackArchive(archive, limits)).toThrow(Refusal);
    expect(() => unpackArchive(archive, limits)).toThrow(sentence);
  });
}

test('stops a bomb with a false size by its actual output', () => {
  const bomb = aZip([{ name: 'a', data: Buffer.alloc(32 * 2 ** 20), bytes: 10 }]);
  expect(bomb.length).toBeLessThan(40_000);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => unpackArchive(bomb, limits)).toThrow(/more than.* 1000 bytes/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 2 ** 20);
});

test('refuses any damage and reads only what the archive held', () => {
  const whole = aZip([a('some text'), { name: 'pages/b', data: 'more', method: 0 }]);
  const known = unpack(whole);
  fc.assert(
    fc.property(
      fc.nat(whole.length - 1),
      fc.nat(255),
      fc.nat(whole.length),
      (at, value, length) => {
        const damaged = Buffer.from(whole);
        damaged[at] = value;
        const cut = length % 5 === 0 ? damaged.subarray(0, length) : damaged;
        // Returned, not expected: Playwright records every `expect` as a step, which takes longer.
        try {
          return Object.values(unpack(cut)).every((text) => Object.values(known).includes(text));
        } catch (error) {
          return error instanceof Refusal;
        }
      },
    ),
    { numRuns: 2_000, seed: 1 },
  );
});
