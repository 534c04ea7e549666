import { writeReport } from '../app/report/report.ts';

/**
 * Writes the report of two stored runs, as `farm report <older> <newer>` does, in a process of its
 * own, so that its peak memory is its own: node two-runs-report.js <database> <older> <newer> <file>.
 */
const [database = '', older = '', newer = '', out = ''] = process.argv.slice(2);
await writeReport([Number(older), Number(newer)], { database, out });
// Linux and macOS tell the peak in different units; Node.js gives kilobytes on both.
console.log(String(process.resourceUsage().maxRSS * 1024));
