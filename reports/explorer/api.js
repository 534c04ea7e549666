/** A page has so many rows; more pages than these would take long to draw and longer to read. */
const pageLength = 500;
const mostPages = 4;

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function get(path, signal) {
  const response = await fetch(path, {
    headers: { accept: 'application/json' },
    ...(signal === undefined ? {} : { signal }),
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new Error([body.detail, body.next].filter(Boolean).join(' '));
}

/** @returns {Promise<FilterValues>} */
export function readFilters() {
  return get('api/v1/filters');
}

/**
 * All that fit the query, or as many as can be shown.
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<{ summaries: Summary[]; complete: boolean }>}
 */
export async function readSummaries(query, signal) {
  /** @type {Summary[]} */
  const summaries = [];
  const asked = new URLSearchParams(query);
  asked.set('limit', String(pageLength));
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await get(`api/v1/summaries?${asked}`, signal);
    summaries.push(...answer.summaries);
    if (answer.next === null) return { summaries, complete: true };
    asked.set('cursor', answer.next);
  }
  return { summaries, complete: false };
}
