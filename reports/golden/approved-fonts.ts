/** Pictures can be compared only where text is drawn as it was when they were approved. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from '@playwright/test';

/** The fonts with which the pictures were approved: with others every line is somewhere else. */
const approved = fileURLToPath(new URL('pictures/fonts.json', import.meta.url));

/** The families that the stylesheet asks for, as this machine answers them; null where nobody can say. */
function fontsHere(): Readonly<Record<string, string>> | null {
  const families = ['system-ui', 'sans-serif', 'monospace'];
  try {
    return Object.fromEntries(
      families.map((family) => [
        family,
        execFileSync('fc-match', [family], { encoding: 'utf8' }).trim(),
      ]),
    );
  } catch {
    return null;
  }
}

/** Why this machine's pictures say nothing; null where they do. Who approves anew approves the fonts, too. */
export function whyNotComparable(): string | null {
  const here = fontsHere();
  if (here === null) return 'fc-match is not installed, so it is not known which fonts are used';
  const { updateSnapshots } = test.info().config;
  if (updateSnapshots === 'all' || updateSnapshots === 'changed') {
    writeFileSync(approved, `${JSON.stringify(here, null, 2)}\n`);
  }
  if (!existsSync(approved)) return `${approved} is not there`;
  const then = JSON.parse(readFileSync(approved, 'utf8')) as Readonly<Record<string, string>>;
  const other = Object.entries(then).find(([family, font]) => here[family] !== font);
  if (other === undefined) return null;
  const [family, font] = other;
  return `${family} is ${here[family] ?? 'unknown'} here, and the pictures were approved with ${font}`;
}
