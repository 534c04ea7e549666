import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';

const vendored = fileURLToPath(new URL('noble-hashes/', import.meta.url));
const installed = fileURLToPath(new URL('../../node_modules/@noble/hashes/', import.meta.url));
const files = readdirSync(vendored);

test('the vendored files are those of the installed package, byte for byte', () => {
  expect(files).toContain('LICENSE');
  for (const file of files) {
    const same = readFileSync(vendored + file).equals(readFileSync(installed + file));
    expect(same, `${file} differs: see pages/vendor/README.md`).toBe(true);
  }
});

test('every import of a vendored file is vendored too', () => {
  for (const file of files) {
    const text = readFileSync(vendored + file, 'utf8');
    // At the start of a line: the others are examples in comments.
    for (const [, module = ''] of text.matchAll(/^(?:import|} from)[^'"\n]*['"]([^'"]+)['"]/gm)) {
      const path = module.replace(/^\.\//, '').replace(/\.ts$/, '.d.ts');
      expect(files, `${file} imports ${module}`).toContain(path);
    }
  }
});
