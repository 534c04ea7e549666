/**
 * Compares versions of a page and follows the run while it goes on:
 * node examples/compare-pages.js old.html new.html
 */
import { compare, follow } from 'crossfarm';
import { options } from './options.js';

const run = follow((caller) => compare(process.argv.slice(2), options, caller));

for await (const event of run) {
  if (event.type !== 'onTrialEnded') continue;
  const { job, outcome } = event.trial;
  console.error(`block ${job.block + 1}: ${job.case.parameters['version']} ${outcome.kind}`);
}

const { entries } = await run.result;
for (const { pair, decision } of entries) {
  const found =
    decision.kind === 'decided-on'
      ? `${decision.decision.verdict}, ${decision.decision.ratio.toFixed(3)} times the first`
      : decision.kind;
  console.log(`${pair.metric.title} of ${pair.a.case.parameters['version']}: ${found}`);
}
