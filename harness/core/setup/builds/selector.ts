import { FarmError } from '../../errors.ts';
import { compareVersions } from '../build-store.ts';

/** Builds that a person names: `chromium@110`, `node@22.11.0`, `chromium@103..153`. */
export interface BuildSelector {
  readonly text: string;
  /** Name before the @: a product, or a device. */
  readonly name: string;
  readonly from: string;
  /** End of a range, which is in it; null where one build is meant. */
  readonly to: string | null;
}

const form = /^([a-z][a-z0-9._-]*)@(\d+(?:\.\w+)*?)(?:\.\.(\d+(?:\.\w+)*))?$/;

/** Null for what does not name a build. */
export function readSelector(text: string): BuildSelector | null {
  const [, name, from, to = null] = form.exec(text) ?? [];
  return name === undefined || from === undefined ? null : { text, name, from, to };
}

/** @throws FarmError `bad-argument` */
export function parseSelector(text: string): BuildSelector {
  const selector = readSelector(text);
  const { from = '', to = null } = selector ?? {};
  if (selector !== null && (to === null || compareVersions(from, to) <= 0)) return selector;
  throw new FarmError('bad-argument', {
    what: `"${text}" names no build.`,
    next: 'A build is chromium@110 or node@22.11.0, a range chromium@103..153, the older one first.',
  });
}

/** True if a version is the one that is meant, or in the range; `110` means every 110. */
export function isSelected(version: string, { from, to }: BuildSelector): boolean {
  const isOf = (wanted: string): boolean => `${version}.`.startsWith(`${wanted}.`);
  if (to === null) return isOf(from);
  return isOf(from) || isOf(to) || isBetween(version, { from, to });
}

function isBetween(version: string, { from, to }: { from: string; to: string }): boolean {
  return compareVersions(version, from) > 0 && compareVersions(version, to) < 0;
}

export function parseMajor(version: string): number {
  return Number.parseInt(version, 10);
}

/** The known versions next to an unknown one: `chromium@119 and chromium@121`. */
export function nameNearest({ name, from }: BuildSelector, versions: readonly string[]): string {
  const sorted = versions.toSorted(compareVersions);
  const below = sorted.findLast((version) => compareVersions(version, from) < 0);
  const above = sorted.find((version) => compareVersions(version, from) > 0);
  return [below, above]
    .filter((version) => version !== undefined)
    .map((version) => `${name}@${version}`)
    .join(' and ');
}
