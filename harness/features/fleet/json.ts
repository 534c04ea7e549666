/** PostgreSQL stores neither null characters nor halves of characters. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'string' && unfit.test(one) ? one.replaceAll(unfitAll, '\ufffd') : one,
  );
}

const half =
  '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]|\\u0000';
const unfit = new RegExp(half);
const unfitAll = new RegExp(half, 'g');
