import { expect, test } from '@playwright/test';
import type { LaunchOptions } from '../driver.ts';
import { commandLine } from './open.ts';

function options(changes: Partial<LaunchOptions>): LaunchOptions {
  return {
    browser: 'program',
    executable: '/usr/bin/surf',
    flags: [],
    preferences: {},
    headless: false,
    sandbox: true,
    environment: {},
    profile: '/p',
    signal: new AbortController().signal,
    timeoutMs: 1000,
    ...changes,
  };
}

const places = { url: 'http://127.0.0.1:1/x?a={profile}', profile: '/p/1' };

test('a program that is not known gets the URL last', () => {
  expect(commandLine(options({ flags: ['-n'] }), places)).toEqual(['-n', places.url]);
});

test('placeholders say where a program wants the URL and the profile', () => {
  const flags = ['--data={profile}', '--app={url}', '--quiet'];
  expect(commandLine(options({ flags }), { url: 'http://x/', profile: '/p/1' })).toEqual([
    '--data=/p/1',
    '--app=http://x/',
    '--quiet',
  ]);
});

test('headless Firefox gets its profile, and Chromium as root no sandbox', () => {
  const url = 'http://x/';
  const profile = '/p/1';
  const firefox = options({ browser: 'firefox', headless: true });
  expect(commandLine(firefox, { url, profile })).toEqual([
    '--new-instance',
    '--profile',
    '/p/1',
    '--headless',
    'http://x/',
  ]);
  const chromium = commandLine(options({ browser: 'chromium', sandbox: false }), { url, profile });
  expect(chromium).toEqual(expect.arrayContaining(['--user-data-dir=/p/1', '--no-sandbox']));
  expect(chromium.at(-1)).toBe('http://x/');
});
