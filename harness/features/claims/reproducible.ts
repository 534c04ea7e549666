import { existsSync } from 'node:fs';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import type { MeasurementName } from '../../core/plan/catalog/measurement.ts';
import { claims } from './catalogue/index.ts';
import { FarmError } from '../../core/errors.ts';

/** Claims, an anomaly or a bundle, as a person names them. */
type Reproducible =
  | { readonly kind: 'claims'; readonly names: readonly string[] }
  | { readonly kind: 'anomaly'; readonly id: string }
  | { readonly kind: 'bundle'; readonly path: string };

/**
 * Finds what to reproduce. A known name is preferred to a file of that name: no file may take the
 * place of a claim.
 */
export function parseReproducible(names: readonly string[]): Reproducible {
  const [only] = names;
  if (names.length !== 1 || only === undefined || isClaim(only)) return { kind: 'claims', names };
  if (/^N\d+$/i.test(only)) return { kind: 'anomaly', id: only };
  const isPath = /\.zip$/i.test(only) || /[/\\]/.test(only) || existsSync(only);
  return isPath ? { kind: 'bundle', path: only } : { kind: 'claims', names };
}

/** A claim, a section, or all. */
function isClaim(name: string): boolean {
  const wanted = name.toUpperCase();
  return wanted === 'ALL' || claims.some(({ id }) => id === wanted || id.charAt(0) === wanted);
}

interface WhatOptions {
  readonly device: readonly string[];
  readonly param: Choices;
  readonly without: readonly string[];
  readonly cores: readonly number[];
  readonly bundle?: string;
  readonly trust: boolean;
  readonly anew?: boolean;
  readonly measurement?: MeasurementName | undefined;
}

export type ReproducibleKind = Reproducible['kind'];

const meaningless: Readonly<Record<ReproducibleKind, readonly (keyof WhatOptions)[]>> = {
  claims: ['trust'],
  anomaly: ['device', 'param', 'without', 'cores', 'trust', 'anew', 'measurement'],
  bundle: ['device', 'param', 'without', 'cores', 'bundle', 'anew', 'measurement'],
};

const whys: Readonly<Record<ReproducibleKind, string>> = {
  claims: 'which is measured with this farm’s own pages and flags',
  anomaly: 'which is asked again as it was found',
  bundle: 'which is asked again as it was packed',
};

const nouns = { claims: 'a claim', anomaly: 'an anomaly', bundle: 'a bundle' } as const;

/** The names of options that would have no effect on what is reproduced. */
export function meaninglessOptions(kind: ReproducibleKind): readonly (keyof WhatOptions)[] {
  return meaningless[kind];
}

/**
 * Refuses options that would have no effect: their user would take the answer for another one.
 * @throws FarmError `bad-argument`
 */
export function refuseMeaningless(kind: ReproducibleKind, options: WhatOptions): void {
  const seen = meaninglessOptions(kind).filter((name) => isGiven(options[name]));
  if (seen.length === 0) return;
  const list = seen.map((name) => `--${name}`).join(', ');
  throw new FarmError('bad-argument', {
    what: `${list} cannot be given for ${nouns[kind]}, ${whys[kind]}.`,
    next: `Leave ${list} out.`,
  });
}

function isGiven(value: WhatOptions[keyof WhatOptions]): boolean {
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return value !== undefined && value !== false && value !== 'standard';
}
