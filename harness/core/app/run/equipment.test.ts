import { expect, test } from '@playwright/test';
import { EventEmitter } from 'node:events';
import { guardUnhandledRejections } from './equipment.ts';

test('reports an unhandled failure in one line and only during the run', () => {
  const source = new EventEmitter();
  const said: string[] = [];
  const stop = guardUnhandledRejections((sentence) => said.push(sentence), source);
  source.emit('unhandledRejection', new TypeError('fetch failed\nmore\nlines'));
  source.emit('unhandledRejection', 'x'.repeat(1e5));
  expect(said[0]).toMatch(/run goes on.*TypeError: fetch failed/);
  expect(said.every((sentence) => !sentence.includes('\n') && sentence.length < 500)).toBe(true);
  stop();
  expect(source.listenerCount('unhandledRejection')).toBe(0);
});
