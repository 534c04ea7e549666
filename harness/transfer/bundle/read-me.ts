import type { UnlistedManifest } from './pack.ts';

/** What a bundle says of itself to a person who has nothing but the file. */
export function composeReadMe(manifest: UnlistedManifest): string {
  const { question, numbers, machine, devices, seed, farmVersion, startedAt } = manifest;
  const lines = [
    `${question.title}: ${question.sentence}`,
    `Verdict of the run in here: ${numbers.verdict}, after ${String(numbers.blocks)} blocks.`,
    '',
    `Measured ${startedAt} with crossfarm ${farmVersion}, seed ${String(seed)},`,
    `on ${machine.system}, ${machine.cpuModel}, ${String(machine.logicalCores)} logical cores:`,
    ...devices.map(
      (one) => `  ${one.id}: ${one.browserName} ${one.browserVersion}, driver ${one.driver}`,
    ),
    '',
    'To see it: open evidence.html. It needs no network.',
    '',
    'To repeat it on your machine, with crossfarm and the same browsers:',
    '',
    '  npx farm reproduce <this file>.zip',
    '',
    'The answer is reproduced, not reproduced, inconclusive, or not comparable with the reason.',
    'Your own copies of the pages are used, if they are the same to the byte. If not, or if this',
    'file asks for launch flags that crossfarm does not know, nothing is started: with --trust the',
    'pages and flags in here are used, which is to run programs of whoever sent you this file.',
    '',
    'What is in here:',
    '  bundle.json    the question, the devices, the machine, the numbers, a SHA-256 of every file',
    '  trials.json    every trial with its samples and readings, in the order of the run;',
    '                 exact schedules and traces are left out, because of their size',
    '  evidence.html  the report of that run',
    '  pages/         the benchmark pages that were measured',
    '',
  ];
  return lines.join('\n');
}
