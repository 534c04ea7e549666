import { readRecord, writeWhole } from '../app/records.ts';
import { renderReport } from '../app/report/report.ts';
import { storedNightNumbers } from '../app/history.ts';

/**
 * Writes the report of a stored night, as `farm nightly` does, in a process of its own, so that its
 * peak memory is its own: node nightly-report.js <database> <run> <file>.
 */
const [database = '', run = '', file = ''] = process.argv.slice(2);
const record = await readRecord(Number(run), database);
const numbers = await storedNightNumbers(database, record);
const nothing = { ledger: null, devices: [], anomalies: [], lane: null, history: null };
const html = await renderReport(record, { database, night: { ...nothing, changes: [], numbers } });
await writeWhole(file, html);
// Linux and macOS tell the peak in different units; Node.js gives kilobytes on both.
console.log(String(process.resourceUsage().maxRSS * 1024));
