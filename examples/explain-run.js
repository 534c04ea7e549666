/** Reads stored runs, and writes a report of the newest: node examples/explain-run.js */
import { writeFile } from 'node:fs/promises';
import { openStore, renderReport } from 'crossfarm';

const store = await openStore();
for (const { id, suite, status } of await store.listRuns()) console.log(id, suite, status);
await store.close();

await writeFile('report.html', await renderReport(['latest']));
