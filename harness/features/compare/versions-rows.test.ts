import { expect, test } from '@playwright/test';
import { aFoundDevice, aMissingDevice } from '../../testing/builders.ts';
import { browserOf } from './versions-rows.ts';

function named(name: string, version: string): string {
  const { target, ...found } = aFoundDevice('one');
  const presence = { ...found, target: { ...target, browser: { name, version } } };
  return browserOf({ presences: [presence] }, 'one');
}

test('a browser is named with the number in which its releases differ', () => {
  expect(named('chromium', '156.0.8078.108')).toBe('chromium 156');
  expect(named('webkitgtk', '2.50.4')).toBe('webkitgtk 2.50');
  expect(named('firefox', '')).toBe('firefox');
  expect(browserOf({ presences: [aMissingDevice('one')] }, 'one')).toBe('one');
});
