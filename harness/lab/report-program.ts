import '../features.ts';
import { storedNightNumbers } from '../features/nights/search-history.ts';
import { readRecord, writeWhole } from '../core/app/records.ts';
import { renderReport, writeReport } from '../core/app/report/report.ts';

/**
 * Writes a report in a separate process, and prints the peak memory of that process in bytes: of
 * one run as `farm nightly` does, of two as `farm report <older> <newer>` does.
 *
 *     node report-program.js <database> <file> <run> [<newer run>]
 */
const [database = '', file = '', ...runs] = process.argv.slice(2);
if (runs.length > 1) await writeReport(runs.map(Number), { database, out: file });
else {
  const record = await readRecord(Number(runs[0]), database);
  const numbers = await storedNightNumbers(database, record);
  const nothing = { ledger: null, devices: [], anomalies: [], lane: null, history: null };
  const night = { ...nothing, headline: 'Nothing changed', changes: [], numbers };
  await writeWhole(file, await renderReport(record, { database, more: { night } }));
}
// Linux and macOS count it in different units; Node.js gives kilobytes on both.
console.log(String(process.resourceUsage().maxRSS * 1024));
