/** Modules can share one scope as `script.ts` joins them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { sections } from '../comparison.ts';
import { scriptWith } from './script.ts';

const folder = new URL('../client/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
// Of a gallery's claims, of the explorer's pages, and of a page of profiles.
const others = [
  { file: 'flame.js', start: 'startFlame' },
  { file: 'cards.js', start: 'offerCards' },
  { file: 'case-address.js', start: 'linkCase' },
];
const script = scriptWith([...sections.flatMap((section) => section.script ?? []), ...others]);
const sources = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));

test('no two modules of the script declare the same name', () => {
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/^(?:export )?(?:async )?(?:function|const|let) (\w+)/gm)].map(
      ([, name]) => name,
    ),
  );
  expect(declared.length).toBeGreaterThan(files.length);
  expect(declared.filter((name, i) => declared.indexOf(name) !== i)).toEqual([]);
});

test('all modules are in the script, without syntax that only a module may have', () => {
  for (const text of sources) {
    const [, name] = /^(?:export )?(?:async )?function (\w+)/m.exec(text) ?? [];
    expect(script).toContain(`function ${String(name)}(`);
  }
  expect(script).not.toMatch(/\b(?:import|export)\b/);
  expect(script).not.toMatch(/\/\*\*|\n\s/);
});

test('a browser can parse the script, which cannot end its element', () => {
  expect(() => new Function(script)).not.toThrow();
  expect(script).not.toContain('</');
});
