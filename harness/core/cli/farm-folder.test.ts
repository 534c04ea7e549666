import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { exitCodes } from '../errors.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { hostileVariants } from '../../testing/hostile-json.ts';
import { storedBuilds } from '../../testing/stored-builds.ts';

/** Files that a farm reads below `.farm`, and places of theirs where another kind of file may lie. */
const places = [
  ...['farm.db', 'farm.db-wal', 'farm.db-shm', 'farm.db-journal'],
  ...['builds', 'builds/chromium', 'builds/chromium/20.0.1', 'builds/chromium/20.0.1/kept.json'],
  ...['builds/chromium/20.0.1/chromium', 'builds/0123456789ab.half', 'builds/firefox/kept.json'],
  ...[
    'sessions',
    'sessions/0123abcd',
    'sessions/0123abcd/session.json',
    'sessions/.partial-0123abcd-AA',
  ],
  ...[
    'nights',
    'farm.db.night-000000000000001-0123abcd',
    'nights/2026-01-01T00-00-00Z',
    'nights/2026-01-01T00-00-00Z/night.json',
  ],
  ...['reports', 'programs', 'programs/native/thread-start', 'programs/native/thread-start.sha256'],
  ...[
    'runtimes',
    'runtimes/bun',
    'runtimes/deno/node_modules/.bin/deno',
    'appium',
    'appium/node_modules/appium/package.json',
  ],
] as const;

const commands: readonly (readonly string[])[] = [
  ['devices'],
  ['devices', '--device', 'chromium@20'],
  ['runs'],
  ['report', 'latest'],
  ['resume'],
  ['resume', '1'],
  ['history', '--suite', 'promise'],
  ['anomalies'],
  ['claims'],
  ['export', '1'],
  ['backup', 'copy.db'],
  ['prune', '--keep-days', '1', '--dry-run'],
  ['builds', 'list', '--here'],
  ['builds', 'remove', 'chromium@20'],
  ['run', '--bench', 'promise', '--device', 'one', '--trials', '1'],
  ['compare', '--continue', '1', '--max-blocks', '1'],
  ['nightly', '--bench', 'promise', '--device', 'one', '--trials', '1'],
];

/** Another file at a place, or null for a folder; `was` is what lay there. */
type Change = (was: Buffer) => Uint8Array | null;

const anyManifest = hostileVariants({
  product: 'chromium',
  version: '20.0.1',
  executable: 'chromium',
  bytes: 18,
  keptAt: '2026-01-01T00:00:00.000Z',
  flags: ['--x'],
  id: '0123abcd',
  farm: '1 @ 2 @ 3',
});

const change: fc.Arbitrary<Change> = fc.oneof(
  anyManifest.map(
    (value): Change =>
      () =>
        Buffer.from(JSON.stringify(value) ?? ''),
  ),
  fc.uint8Array({ maxLength: 2_000 }).map(
    (bytes): Change =>
      () =>
        bytes,
  ),
  fc.double({ min: 0, max: 1, noNaN: true }).map(
    (share): Change =>
      (was) =>
        was.subarray(0, share * was.length),
  ),
  fc
    .array(fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes): Change => (was) => {
      const now = Buffer.from(was);
      for (const [at, bytes] of changes)
        now.set(bytes.subarray(0, now.length), at % Math.max(1, now.length - bytes.length));
      return now;
    }),
  fc.constant<Change>(() => null),
);

async function put(path: string, how: Change): Promise<void> {
  const was = await readFile(path).catch(() => Buffer.from('was nothing, or a folder'));
  const now = how(was);
  await rm(path, { recursive: true, force: true });
  await mkdir(now === null ? path : dirname(path), { recursive: true });
  if (now !== null) await writeFile(path, now, { mode: 0o755 });
}

for (const [tag, rounds] of [
  ['', 25],
  [' @campaign', 600],
] as const) {
  test(`nothing below .farm makes a command fail as a bug${tag}`, async () => {
    test.setTimeout(600_000);
    const { folder, farm } = await aFakeFarm();
    const own = join(folder, '.farm');
    const sound = join(folder, 'sound');
    await farm('run', '--bench', 'promise', '--device', 'one', '--trials', '2');
    await farm('compare', 'one', 'two', '--bench', 'promise', '--max-blocks', '1');
    await farm('nightly', '--bench', 'promise', '--device', 'one', '--trials', '1');
    await storedBuilds(join(own, 'farm.db'), 'chromium', ['20.0.1']);
    await cp(own, sound, { recursive: true });
    const place = fc.constantFrom(...places);
    const command = fc.constantFrom(...commands);
    const property = fc.asyncProperty(place, change, command, async (where, how, args) => {
      await rm(own, { recursive: true, force: true });
      await cp(sound, own, { recursive: true });
      await rm(join(folder, 'copy.db'), { force: true });
      await put(join(own, where), how);
      const { code, stderr } = await farm(...args);
      expect(code, `${where}: farm ${args.join(' ')}: ${stderr}`).not.toBe(exitCodes.internal);
    });
    await fc.assert(property, { numRuns: rounds, endOnFailure: true });
  });
}
