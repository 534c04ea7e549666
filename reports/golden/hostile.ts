/** Hostile text that a page, a device or a bundle might send instead of a name. */

export const payload =
  `<script>window.owned=1</script><img src="http://evil.invalid/x.png" onerror="window.owned=1">` +
  `"' onmouseover='window.owned=1' \`\${window.owned=1}\` </script></style></title></textarea>--><!-- ]]>` +
  `<svg onload=window.owned=1><a href="javascript:window.owned=1">\u001b[31mred\u001b[0m\u202egnp.exe\u2028\u0000&amp;`;

/** Words of the contract, which cannot be chosen by a page or a device. */
const ownWords = new Set([
  'kind',
  'status',
  'direction',
  'isolation',
  'writtenAt',
  'verdict',
  'because',
  'outcome',
  'href',
  'format',
  'at',
  'low',
  'high',
]);

/** The same value with the payload behind every string, and every key of `parameters` too. */
export function poisoned<T>(value: T): T {
  return poison(value, '') as T;
}

function poison(value: unknown, key: string): unknown {
  if (typeof value === 'string') return ownWords.has(key) ? value : value + payload;
  if (Array.isArray(value)) return value.map((one) => poison(one, key));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [
    key === 'parameters' ? name + payload : name,
    poison(one, name),
  ]);
  return Object.fromEntries(entries) as unknown;
}
