import fc, { type Arbitrary } from 'fast-check';

/** Values that an attacker might put where they do not belong. */
const hostile: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, -1, 0, 1e308, -1e308, 1e-300, 2 ** 53, 0.5, [], {}],
    ...[
      '',
      '\0',
      '__proto__',
      'constructor',
      '../../etc/passwd',
      'C:\\x',
      '<script>alert(1)</script>',
    ],
    ...['\u202e', '=1+1', '%00', 'file:///etc/passwd', 'http://169.254.169.254/'],
  ),
  fc.constantFrom<unknown>('x'.repeat(20_000), nested(2_000), Array(5_000).fill(0)),
  fc.jsonValue(),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

type Path = readonly (string | number)[];

/** Places in a JSON value, up to a number, from the outside in. */
function placesIn(value: unknown, most = 2_000): readonly Path[] {
  const places: Path[] = [[]];
  for (let index = 0; index < places.length && places.length < most; index += 1) {
    const path = places[index] ?? [];
    const here = at(value, path);
    if (typeof here !== 'object' || here === null) continue;
    for (const key of Object.keys(here))
      places.push([...path, Array.isArray(here) ? Number(key) : key]);
  }
  return places;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (here, key) => (here as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  );
}

interface Change {
  readonly place: number;
  readonly how: 'replace' | 'remove' | 'add' | 'repeat';
  readonly value: unknown;
}

const change: Arbitrary<Change> = fc.record({
  place: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  value: hostile,
});

/** A valid JSON value with one to three hostile changes anywhere in it. */
export function hostileVariants(valid: unknown): Arbitrary<unknown> {
  const places = placesIn(valid);
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((value, one) => changed(value, one, places), valid));
}

function changed(
  value: unknown,
  { place, how, value: put }: Change,
  places: readonly Path[],
): unknown {
  const path = places[place % places.length] ?? [];
  if (path.length === 0) return how === 'replace' ? put : value;
  return within(value, path, { how, put });
}

/** Copies the values along the path only: the rest may be nested very deep. */
function within(
  value: unknown,
  [key = '', ...rest]: Path,
  to: { readonly how: Change['how']; readonly put: unknown },
): unknown {
  // A change before this one may have taken the place away.
  if (typeof value !== 'object' || value === null || !(key in value)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<
    string | number,
    unknown
  >;
  if (rest.length > 0) copy[key] = within(copy[key], rest, to);
  else if (to.how === 'replace') copy[key] = to.put;
  else if (to.how === 'add') copy[`${String(key)}-more`] = to.put;
  else if (!Array.isArray(copy)) Reflect.deleteProperty(copy, key);
  else
    copy.splice(
      Number(key),
      1,
      ...(to.how === 'repeat' ? [copy[Number(key)], copy[Number(key)]] : []),
    );
  return copy;
}

/** Bytes with a few overwritten, or cut short. */
export function hostileVersionsOfBytes(valid: Uint8Array): Arbitrary<Uint8Array> {
  return fc
    .record({
      at: fc.array(fc.record({ place: fc.nat(), byte: fc.nat(255) }), {
        minLength: 1,
        maxLength: 30,
      }),
      keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    })
    .map(({ at: places, keep }) => {
      const bytes = Uint8Array.from(valid.subarray(0, Math.ceil(keep * valid.length)));
      for (const { place, byte } of places) {
        if (bytes.length > 0) bytes[place % bytes.length] = byte;
      }
      return bytes;
    });
}
