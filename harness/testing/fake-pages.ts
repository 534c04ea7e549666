import type { FakeReader, FakeTrial } from '../../drivers/fake/fake.ts';

/** Numbers of a page that is not ours, by their names for `--measure`; of a record by its keys. */
export type PageNumbers = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/**
 * The script of a fake browser that shows versions of a page: each gives the numbers that the test
 * says, and offers the measures among them as a page of its own does.
 */
export function pagesWith(numbersOf: (version: string) => PageNumbers): FakeTrial {
  const numbersIn = ({ version = '' }: Readonly<Record<string, unknown>>): PageNumbers =>
    numbersOf(String(version));
  return {
    does: 'completes',
    metrics: ({ parameters, guest: { metrics = [] } = {} }) =>
      metrics.flatMap(({ metric, unit, reader }) => {
        const value = { load: 10, ...numbersIn(parameters) }[nameOf(reader)];
        const number = typeof value === 'object' ? value[reader.key ?? ''] : value;
        return number === undefined ? [] : [{ metric, unit, timed: [number] }];
      }),
    result: ({ parameters, guest: { discover } = {} }) =>
      discover === undefined ? {} : { offers: offersOf(numbersIn(parameters), discover) },
  };
}

/** As `pages/kit/guest-metrics.js` names them. */
function offersOf(
  numbers: PageNumbers,
  readers: readonly FakeReader[],
): Readonly<Record<string, number>> {
  const own = Object.keys(numbers).filter((name) => /^(bench$|measure:)/.test(name));
  const asked = readers.flatMap((reader, index) => {
    const value = numbers[nameOf(reader)];
    const keys = typeof value === 'object' ? Object.keys(value) : [''];
    return keys.map((key) => `${String(index)}:${key}`);
  });
  return Object.fromEntries([...own, ...asked].map((name) => [name, 1]));
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
