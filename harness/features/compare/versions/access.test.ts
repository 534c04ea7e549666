import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { fakeDriver } from '../../../../drivers/fake/fake.ts';
import { playwrightDriver } from '../../../../drivers/playwright/playwright.ts';
import { aFoundDevice } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { type AccessOptions, readAccess } from './access.ts';
import { letInTo, withAccess } from './site-access.ts';

const environment = { TOKEN: 'geheim', USER_AND_PASSWORD: 'bo:geheim' };

const said: readonly (readonly [string, AccessOptions, object, readonly string[]])[] = [
  [
    'a value from the command line is said again as a variable',
    { header: ['X-Api-Key: geheim'], cookie: ['sid=geheim'], basicAuth: 'bo:geheim' },
    {
      headers: { 'X-Api-Key': 'geheim' },
      cookies: { sid: 'geheim' },
      user: { name: 'bo', password: 'geheim' },
    },
    ["--header 'X-Api-Key: $X_API_KEY'", "--cookie 'sid=$SID'", "--basic-auth '$BASIC_AUTH'"],
  ],
  [
    'variables of the environment are said again as they are',
    {
      header: ['Authorization: Bearer ${TOKEN}'],
      cookie: ['sid=$TOKEN'],
      basicAuth: '$USER_AND_PASSWORD',
    },
    {
      headers: { Authorization: 'Bearer geheim' },
      cookies: { sid: 'geheim' },
      user: { name: 'bo', password: 'geheim' },
    },
    [
      "--header 'Authorization: Bearer ${TOKEN}'",
      "--cookie 'sid=$TOKEN'",
      "--basic-auth '$USER_AND_PASSWORD'",
    ],
  ],
  [
    'a value that only begins with a secret is not said again',
    { header: ['X: geheim$TOKEN'] },
    { headers: { X: 'geheimgeheim' } },
    ["--header 'X: $X'"],
  ],
  [
    'a password keeps its colons and signs',
    { basicAuth: 'bo:a:b=c$d' },
    { user: { name: 'bo', password: 'a:b=c$d' } },
    ["--basic-auth '$BASIC_AUTH'"],
  ],
];

for (const [title, options, site, again] of said) {
  test(title, () => {
    const access = readAccess(options, environment);
    expect(access.site).toEqual(site);
    expect(access.arguments).toEqual(again);
  });
}

test('a file gives a line each, and its text as it stands', async () => {
  const file = join(await aFolder(), 'secrets.txt');
  await writeFile(file, '# of staging\nX-Key: a$TOKEN\r\n\nX-Other: b\n');
  const access = readAccess({ header: [`@${file}`] }, environment);
  expect(access.site).toEqual({ headers: { 'X-Key': 'a$TOKEN', 'X-Other': 'b' } });
  expect(access.arguments).toEqual([`--header @${file}`]);
});

for (const options of [
  { header: ['geheim'] },
  { header: ['X Y: geheim'] },
  { header: ['X: geheim\nY: z'] },
  { header: ['Host: geheim'] },
  { header: ['X: geheim$GONE'] },
  { header: ['@/gone'] },
  { header: ['@/dev/zero'] },
  { cookie: ['geheim'] },
  { cookie: ['a=geheim; b=c'] },
  { basicAuth: 'geheim' },
  { basicAuth: '' },
  { insecure: true, ca: 'x.pem' },
] satisfies readonly AccessOptions[]) {
  test(`${JSON.stringify(options)} is refused, and no value printed`, () => {
    const reading = (): unknown => readAccess(options, environment);
    expect(reading).toThrow(/^--|^@?\/|^The value of --/);
    expect(reading).not.toThrow(/geheim/);
  });
}

const at = (url: string) => ({ name: url, kind: 'url', place: { kind: 'url', url } }) as const;

test("a user in a version's address applies to it alone, unprinted", async () => {
  const { site, arguments: again } = readAccess({ basicAuth: 'bo:x' }, {});
  const urls = ['http://a%40b:c%25@one.example/p?q#h', 'http://two.example/'].map(at);
  const versions = await withAccess(urls, { site, arguments: again }, undefined);
  expect(versions.map(({ place }) => place)).toEqual([
    {
      kind: 'url',
      url: 'http://one.example/p?q#h',
      access: { origin: 'http://one.example', user: { name: 'a@b', password: 'c%' } },
    },
    {
      kind: 'url',
      url: 'http://two.example/',
      access: { origin: 'http://two.example', user: { name: 'bo', password: 'x' } },
    },
  ]);
});

test('access options for files are refused', async () => {
  const place = { kind: 'folder', folder: '/x', page: 'old.html' } as const;
  const access = readAccess({ header: ['X: geheim'] }, {});
  const asked = withAccess([{ name: 'old.html', kind: 'file', place }], access, undefined);
  await expect(asked).rejects.toThrow(/--header is about pages at URLs, and no version is one/);
});

test('a driver without a way in is named with the option', async () => {
  const access = readAccess({ header: ['X: geheim'] }, {});
  const versions = await withAccess([at('http://one.example/')], access, undefined);
  const presence = aFoundDevice('one');
  const through = (driver: typeof playwrightDriver): ReturnType<typeof letInTo> =>
    letInTo(versions, presence, () => Promise.resolve(driver));
  expect(await through(playwrightDriver)).toBe(presence);
  expect(await through(fakeDriver({}))).toMatchObject({
    status: 'missing',
    reason: '--header is not supported here, because the driver fake has no way to do it',
  });
});
