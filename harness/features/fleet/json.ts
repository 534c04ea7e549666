/** PostgreSQL stores neither null characters nor halves of characters. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'string' ? toStorable(one) : one,
  );
}

export function toStorable(text: string): string {
  return unfit.test(text) ? text.replaceAll(unfitAll, '\ufffd') : text;
}

const half =
  '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]|\\u0000';
const unfit = new RegExp(half);
const unfitAll = new RegExp(half, 'g');
