import { test, expect } from '@playwright/test';
import { importsOf, linkModule, withAddresses } from './linked-module.js';

const module = `import { a } from './a.js';
import {
  b,
} from "../kit/b.js";
export * from './c.js';
/** @import { Type } from './types.d.ts' */
/**
 * @param {import('./other.js').Other} other
 */
// import './old.js';
import fs from 'node:fs';
const later = async () => (await import('../vendor/d.js')).d;
import './a.js';
`;

test('relative imports of the code are found, and not those of comments or packages', () => {
  expect(importsOf(module)).toEqual(['./a.js', '../kit/b.js', './c.js', '../vendor/d.js']);
});

test('each import gets its new address, and nothing else changes', () => {
  const linked = withAddresses(
    module,
    new Map([
      ['./a.js', 'blob:1'],
      ['../vendor/d.js', 'blob:2'],
    ]),
  );
  expect(linked).toContain(`import { a } from 'blob:1';`);
  expect(linked).toContain(`import 'blob:1';`);
  expect(linked).toContain(`(await import('blob:2')).d`);
  expect(linked.replaceAll('blob:1', './a.js').replaceAll('blob:2', '../vendor/d.js')).toBe(module);
});

test('a runtime loads modules from the disk as they are', async () => {
  const url = new URL('file:///pages/kit/worker.js');
  expect(await linkModule(url)).toBe(url);
});
