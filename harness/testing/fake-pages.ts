import type { FakeReader, FakeTrial } from '../../drivers/fake/fake.ts';

/** Numbers of a page that is not ours, by their names for `--measure`; of a record by its keys, and of what it repeats all. */
export type PageNumbers = Readonly<
  Record<string, number | readonly number[] | Readonly<Record<string, number>>>
>;

/**
 * The script of a fake browser that shows versions of a page: each gives the numbers that the test
 * says, and offers the measures among them as a real page does.
 */
export function pagesWith(
  numbersOf: (version: string, page: string) => PageNumbers,
  /** Errors of one load, which may be the first look. */
  errorsOf: (version: string, isLook: boolean) => readonly string[] = () => [],
): Extract<FakeTrial, { does: 'completes' }> {
  const numbersIn = ({ version = '', page = '' }: Readonly<Record<string, unknown>>): PageNumbers =>
    numbersOf(String(version), String(page));
  return {
    does: 'completes',
    metrics: ({ parameters, guest: { metrics = [] } = {} }) =>
      metrics.flatMap(({ metric, unit, reader }) => {
        const value = { load: 10, ...numbersIn(parameters) }[nameOf(reader)];
        const timed = timedIn(value, reader.key);
        return timed.length === 0 ? [] : [{ metric, unit, timed }];
      }),
    result: ({ parameters, guest: { discover } = {} }) => {
      const errors = errorsOf(String(parameters['version'] ?? ''), discover !== undefined);
      return {
        ...(discover !== undefined && { offers: offersOf(numbersIn(parameters), discover) }),
        ...(errors.length > 0 && { errors }),
      };
    },
  };
}

function timedIn(value: PageNumbers[string] | undefined, key = ''): readonly number[] {
  if (isList(value)) return value;
  const number = typeof value === 'object' ? value[key] : value;
  return number === undefined ? [] : [number];
}

function isList(value: PageNumbers[string] | undefined): value is readonly number[] {
  return Array.isArray(value);
}

/** As `pages/kit/guest-metrics.js` names them. */
function offersOf(
  numbers: PageNumbers,
  readers: readonly FakeReader[],
): Readonly<Record<string, number>> {
  const own = Object.keys(numbers).filter((name) => /^(bench$|measure:)/.test(name));
  const asked = readers.flatMap((reader, index) => {
    const value = numbers[nameOf(reader)];
    const keys = typeof value === 'object' && !isList(value) ? Object.keys(value) : [''];
    return keys.map((key) => `${String(index)}:${key}`);
  });
  const times = (name: string): number => {
    const value = numbers[name];
    return isList(value) ? value.length : 1;
  };
  return Object.fromEntries([...own, ...asked].map((name) => [name, times(name)]));
}

const paints: Readonly<Record<string, string>> = {
  'first-paint': 'fp',
  'first-contentful-paint': 'fcp',
  'largest-contentful-paint': 'lcp',
};

function nameOf({ by, name = '', expression = '' }: FakeReader): string {
  switch (by) {
    case 'paint':
      return paints[name] ?? name;
    case 'measure':
    case 'mark':
      return `${by}:${name}`;
    case 'expression':
      return expression;
    default:
      return by;
  }
}
