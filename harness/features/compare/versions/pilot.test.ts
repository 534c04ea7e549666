import { expect, test } from '@playwright/test';
import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Driver } from '../../../../drivers/driver.ts';
import { fakeDriver, type FakeDriver } from '../../../../drivers/fake/fake.ts';
import { aFoundDevice } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { compareDefaults } from '../../../core/app/defaults.ts';
import { announceLook, lookAtVersions, type OfferedVersions } from './pilot.ts';

/** A fake driver whose pages have one measure themselves. */
function offeringDriver(): FakeDriver {
  const result = { offers: { 'measure:run': 1 } };
  return fakeDriver({
    trial: { does: 'completes', metrics: [{ metric: 'load', unit: 'ms', timed: [5] }], result },
  });
}

/** Each browser starts only once `count` are asked for. */
function startingTogether(driver: Driver, count: number): Driver {
  const asked = new EventEmitter();
  const all = once(asked, 'all');
  let launches = 0;
  return {
    ...driver,
    launch: async (options) => {
      launches += 1;
      if (launches === count) asked.emit('all');
      await all;
      return driver.launch(options);
    },
  };
}

interface Look {
  readonly server?: string;
  /** Path in the folder of the pages. */
  readonly database?: string;
}

async function lookWith(
  driver: Driver,
  { server, database = 'farm.db' }: Look = {},
): Promise<OfferedVersions> {
  const folder = await aFolder();
  const presence = aFoundDevice('chromium');
  const target = { ...presence.target, ...(server !== undefined && { server }) };
  const versions = ['old.html', 'new.html'].map((name) => ({
    name,
    kind: 'file' as const,
    place: { kind: 'folder' as const, folder, page: name },
  }));
  for (const { name } of versions) await writeFile(join(folder, name), '<!doctype html>');
  return lookAtVersions(
    { versions, asked: [] },
    {
      presence: { ...presence, target },
      options: { ...compareDefaults, database: join(folder, database) },
      caller: {
        signal: new AbortController().signal,
        say: () => undefined,
        loadDriver: () => Promise.resolve(driver),
      },
    },
  );
}

test('looks at two versions at once where the driver starts its browsers', async () => {
  const driver = offeringDriver();
  const { measures } = await lookWith(startingTogether(driver, 2));
  expect(measures.map(({ metric }) => metric.title)).toEqual(['run']);
});

test('a server is asked for one browser at a time', async () => {
  const driver = offeringDriver();
  await lookWith(driver, { server: 'safaridriver' });
  const turns = driver.events.filter((event) => event === 'launch' || event === 'close');
  expect(turns).toEqual(['launch', 'close', 'launch', 'close']);
});

test('names the folder of the database, and no page, if it cannot be made', async () => {
  const database = join('old.html', 'farm.db');
  await expect(lookWith(offeringDriver(), { database })).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('says beforehand which errors of pages at URLs its driver cannot see', () => {
  const found = aFoundDevice('chromium');
  const because = 'its server has no such command';
  const blind = { ...found, capabilities: [{ name: 'firstScript', supported: false, because }] };
  const at = (url: string) => ({
    name: url,
    kind: 'url' as const,
    place: { kind: 'url' as const, url },
  });
  const told = announceLook([at('http://one.example/'), at('http://two.example/')], blind);
  expect(told).toEqual([expect.stringMatching(/^looks at each/), expect.stringContaining(because)]);
  expect(announceLook([at('http://one.example/')], found)).toHaveLength(1);
  expect(announceLook([], blind)).toHaveLength(1);
});

test('a look opens no empty page first, because none of its times is kept', async () => {
  const driver = offeringDriver();
  const leading: Driver = {
    ...driver,
    launch: async (options) => ({
      ...(await driver.launch(options)),
      navigate: () => Promise.reject(new Error('a page that is looked at is opened at once')),
      evaluate: () => Promise.resolve(true),
    }),
  };
  await lookWith(leading);
  const opened = driver.events.filter((event) => event.startsWith('open '));
  expect(opened.toSorted()).toEqual([
    expect.stringMatching(/new\.html/),
    expect.stringMatching(/old\.html/),
  ]);
});
