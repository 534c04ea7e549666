/**
 * The address of the page of a case. A server refuses an encoded "/", and a browser resolves ".." in a
 * path: a name with such parts stands in the query.
 * @param {string} name its canonical name
 * @param {string} [query] what else the address says: `run=2`
 */
export function linkCase(name, query = '') {
  const parts = name.split('/');
  const isPath = !parts.some((part) => ['', '.', '..'].includes(part));
  const path = isPath ? `/cases/${parts.map(encodeURIComponent).join('/')}` : '/explore';
  const named = isPath ? [] : [`case=${encodeURIComponent(name)}`];
  const asked = [...named, query].filter((one) => one !== '').join('&');
  return asked === '' ? path : `${path}?${asked}`;
}
