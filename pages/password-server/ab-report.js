/**
 * Output of `ab` (ApacheBench 2.3) for a load, and the file of its option `-g`: one line a request.
 * Both are read strictly, because a load of which a part failed measured something else.
 *
 * @typedef {object} AbExpectation
 * @property {number} requests
 * @property {number} bodyBytes of every answer
 *
 * @typedef {object} AbLoad
 * @property {number} elapsedMs
 * @property {number[]} latencies in whole milliseconds
 * @property {number} bytes of all answers, with their headers
 * @property {Readonly<Record<'connect' | 'processing' | 'waiting', number[]>>} phases of each request, in whole milliseconds
 */

/**
 * @param {{ report: string, table: string }} printed
 * @param {AbExpectation} expected
 * @returns {AbLoad}
 * @throws {Error} with a sentence when anything is missing or not as expected.
 */
export function parseAb({ report, table }, { requests, bodyBytes }) {
  const fields = readFields(report);
  const demand = (/** @type {string} */ name, /** @type {number} */ wanted) => {
    const seen = numberOf(fields, name);
    if (seen === wanted) return;
    throw new Error(`ab's report says "${name}: ${String(seen)}" instead of ${String(wanted)}.`);
  };
  demand('Complete requests', requests);
  demand('Failed requests', 0);
  if (fields.has('Write errors')) demand('Write errors', 0);
  if (fields.has('Non-2xx responses')) demand('Non-2xx responses', 0);
  demandKept(numberOf(fields, 'Keep-Alive requests'), requests);
  demand('HTML transferred', requests * bodyBytes);
  return {
    elapsedMs: numberOf(fields, 'Time taken for tests') * 1000,
    bytes: numberOf(fields, 'Total transferred'),
    ...parseTable(table, requests),
  };
}

/** @type {(kept: number, requests: number) => void} */
function demandKept(kept, requests) {
  if (kept === requests) return;
  const seen = `${String(kept)} of ${String(requests)} requests over connections that were kept`;
  throw new Error(
    `ab sent ${seen}: it speaks HTTP/1.0, after which some servers hang up (Bun's does).`,
  );
}

/**
 * Lines such as `Complete requests:      250`.
 * @param {string} report
 * @returns {ReadonlyMap<string, string>}
 */
function readFields(report) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const line of report.split('\n')) {
    const [, name, value] = /^([A-Z][A-Za-z0-9 -]+):\s+(\S.*)$/.exec(line) ?? [];
    // "Time per request" stands there twice, and is not read.
    if (name !== undefined && value !== undefined && !fields.has(name)) fields.set(name, value);
  }
  return fields;
}

/** @type {(fields: ReadonlyMap<string, string>, name: string) => number} */
function numberOf(fields, name) {
  const [, digits] = /^(\d+(?:\.\d+)?)(?: (?:bytes|seconds))?$/.exec(fields.get(name) ?? '') ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Error(`ab's report has no number for "${name}".`);
}

const header = 'starttime\tseconds\tctime\tdtime\tttime\twait';

/**
 * Connecting, processing (from there to the answer's end), both together, and waiting (to its first
 * byte). Of a connection that is kept, processing begins with the end of the last answer.
 */
const row = /^[^\t]+\t\d+\t(\d+)\t(\d+)\t(\d+)\t(\d+)$/;

/** @type {(table: string, requests: number) => Pick<AbLoad, 'latencies' | 'phases'>} */
function parseTable(table, requests) {
  const [first, ...lines] = table.trimEnd().split('\n');
  if (first !== header) throw new Error(`ab's table begins with "${String(first).slice(0, 80)}".`);
  if (lines.length !== requests) {
    throw new Error(
      `ab's table has ${String(lines.length)} rows for ${String(requests)} requests.`,
    );
  }
  const rows = lines.map((line) => {
    const found = row.exec(line);
    if (found !== null) return found.slice(1).map(Number);
    throw new Error(`ab's table has a row that cannot be read: "${line.slice(0, 80)}".`);
  });
  const column = (/** @type {number} */ at) => rows.map((numbers) => numbers[at] ?? NaN);
  const phases = { connect: column(0), processing: column(1), waiting: column(3) };
  return { latencies: column(2), phases };
}
