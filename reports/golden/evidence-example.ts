import { withCentres } from '../../harness/core/analysis/table.ts';
import type { AssertionFacts, CpuFacts, EvidenceFindings, TargetFacts } from '../../harness/core/results/index.ts';
import { someCpu, someSchedule } from './example-cpu.ts';
import { chromium, firefox } from './example-targets.ts';
import { makeVerdicts } from './example-verdicts.ts';
import { aCell, anUnsearchedExample, aRow, aRun, generator } from './example.ts';

const single: TargetFacts = {
  ...chromium,
  id: 'chromium~parallel-gc',
  name: 'Chromium without parallel-gc',
};

const targets = [chromium, firefox, single] as const;
const blocks = 12;

/** A claim about cores that holds for one browser, with its cause found: what `farm reproduce A4` leaves. */
export function anEvidence(changes: Partial<EvidenceFindings> = {}): EvidenceFindings {
  return {
    findings: findingsOf(),
    title: 'Claim A4',
    writtenAt: '2026-11-21T09:30:00Z',
    farmVersion: '0.1.0',
    claim: {
      id: 'A4',
      sentence:
        'Chromium keeps all logical cores busy during asyncFib, Firefox never more than one.',
      source: '“Explorations in Asynchronicity”',
      published: '12 of 12 cores on the CPU chart',
    },
    verdict: 'confirmed',
    directionVerdict: 'confirmed',
    sizeVerdict: 'refuted',
    headline:
      'direction confirmed, size refuted (smaller by a factor of 7.68): 1.56 cores (1.49 … 1.63), published 12 of 12 cores',
    direction: 'confirmed',
    size: 'refuted: smaller by a factor of 7.68: 1.56 cores (1.49 … 1.63), published 12 of 12 cores; not decided whether as published: 1.07 cores (1.02 … 1.13), published never more than one',
    unsettled: 'about 9 more blocks would settle it; all 12 blocks of --max-blocks were used',
    moreBlocks: 9,
    reason: '12 blocks of one trial of everything, in random order.',
    assertions,
    counterfactuals: [
      {
        id: 'parallel-gc',
        sentence: 'Chromium without parallel garbage collection',
        change: '--js-flags=--single-threaded-gc',
        quantity: 'cores busy',
        unit: 'cores',
        withCause: { value: 1.562, low: 1.49, high: 1.63 },
        withoutCause: { value: 1.021, low: 1.008, high: 1.044 },
        explained: { value: 0.963, low: 0.89, high: 1.03 },
        verdict: 'explains 96 % (89 % … 103 %) of what lies beyond the first',
      },
      {
        id: 'parallel-gc',
        sentence: 'The distance to Firefox without parallel garbage collection',
        change: '--js-flags=--single-threaded-gc',
        quantity: 'duration',
        unit: '×',
        withCause: { value: 3.12, low: 2.97, high: 3.28 },
        withoutCause: { value: 2.74, low: 2.6, high: 2.89 },
        explained: { value: 0.114, low: 0.02, high: 0.21 },
        verdict: 'explains 11 % (2 % … 21 %) of the effect',
      },
    ],
    explanations: [
      'no JavaScript ran in parallel: 0.97 cores (0.95 … 0.98)',
      'Chromium without parallel garbage collection (--js-flags=--single-threaded-gc): explains 96 % (89 % … 103 %) of what lies beyond the first',
    ],
    notes: ['The machine has 2 logical cores, where the source had 12.'],
    confidence: 0.95,
    command: 'npx crossfarm reproduce A4 --seed 20261121',
    ...changes,
  };
}

const base: Omit<AssertionFacts, 'sentence' | 'expected' | 'measured'> = {
  role: 'verdict',
  quantity: 'cores busy',
  kind: 'level',
  unit: 'cores',
  published: { text: 'not looked at', low: null, high: null },
  blocks,
  outcome: 'holds',
  direction: 'confirmed',
  equal: false,
  size: 'not published',
};

const assertions: readonly AssertionFacts[] = [
  {
    ...base,
    sentence: 'Chromium keeps more than one core busy (fib function=asyncFib n=24 place=worker)',
    expected: 'above 1.1 cores',
    published: { text: '12 of 12 cores', low: 12, high: 12 },
    measured: { value: 1.562, low: 1.49, high: 1.63 },
    size: 'smaller',
  },
  {
    ...base,
    sentence: 'Firefox keeps no more than one core busy (fib function=asyncFib n=24 place=worker)',
    expected: 'below 1.1 cores',
    published: { text: 'never more than one', low: 0, high: 1 },
    measured: { value: 1.07, low: 1.02, high: 1.13 },
    outcome: 'open',
    direction: 'open',
    size: 'open',
  },
  {
    ...base,
    sentence: 'no JavaScript ran in parallel',
    quantity: 'JavaScript parallelism',
    expected: 'below 1.05 cores',
    measured: { value: 0.966, low: 0.951, high: 0.982 },
  },
  {
    ...base,
    sentence: 'asyncFib takes longer in Firefox than in Chromium',
    quantity: 'duration',
    kind: 'ratio',
    unit: '×',
    expected: 'above 1×',
    published: { text: '5.4× (n = 30) and 6× (n = 28)', low: 5.4, high: 6 },
    measured: { value: 3.12, low: 2.97, high: 3.28 },
    size: 'smaller',
  },
  {
    ...base,
    sentence: 'the advantage of Chromium is larger on all cores than on one',
    quantity: 'duration',
    kind: 'ratio',
    unit: '×',
    expected: 'above 1×',
    published: { text: '1.7 times as large on 12 cores as on 4', low: null, high: null },
    measured: { value: 1.24, low: 1.04, high: 1.62, ratios: [2.17, 1.75] },
  },
];

function findingsOf(): EvidenceFindings['findings'] {
  const random = generator(23);
  const behaviours = [
    { target: chromium, factor: 1, spread: 0.03, resolution: 0.005 },
    { target: firefox, factor: 3.1, spread: 0.05, resolution: 0.02 },
    { target: single, factor: 1.14, spread: 0.03, resolution: 0.005 },
  ];
  const row = aRow({
    benchmark: 'fib',
    parameters: { function: 'asyncFib', n: 24, place: 'worker' },
    cells: behaviours.map((behaviour) =>
      aCell({ behaviour, centre: 172 * behaviour.factor, trials: blocks, random }),
    ),
  });
  const example = anUnsearchedExample();
  return {
    ...example,
    title: 'Claim A4',
    runs: [
      {
        ...aRun,
        id: 21,
        suite: 'A4',
        blocks,
        command: 'npx crossfarm reproduce A4 --seed 20261121',
        cells: { planned: 36, completed: 36, failed: 0, timedOut: 0, skipped: 0 },
      },
    ],
    targets,
    benchmarks: example.benchmarks.slice(0, 1),
    rows: withCentres([row], makeVerdicts([row], 'chromium').pairs),
    verdicts: makeVerdicts([row], 'chromium'),
    growth: [],
    crossover: [],
    truth: [],
    cpu: cpuOf(row.caseName, random),
    troubles: [],
    quarantined: [],
    cautions: ['Chromium ran without its sandbox, because the farm ran as root.'],
  };
}

/** All that the opt-in probes can give, and what they say where they cannot. */
function cpuOf(caseName: string, random: () => number): readonly CpuFacts[] {
  const collectors = [0.44, 0.03, 0.02];
  const facts = targets.map(({ id: targetId }, i) =>
    someCpu({
      caseName, targetId, cores: 2, slices: 48, random,
      load: { script: 0.96 - i * 0.02, collector: collectors[i] ?? 0 },
    }),
  );
  const schedule = (collectors: number) => someSchedule({ wallMs: 960, collectors, random });
  const [first, second, third] = facts;
  if (first === undefined || second === undefined || third === undefined) return facts;
  return [
    {
      ...first,
      schedule: schedule(3),
      trace: { file: 'traces/run-21/chromium-fib-block-4.json.gz', format: 'chrome-trace' },
    },
    {
      ...second,
      schedule: { notSupported: 'the kernel shows its events to root alone.' },
      trace: { file: 'traces/run-21/firefox-fib-block-4.json.gz', format: 'firefox-profile' },
    },
    { ...third, foreignShare: null, schedule: { ...schedule(0), lostEvents: 12 } },
  ];
}

/** The evidence for a claim whose device is missing. */
export function anUntestable(): EvidenceFindings {
  return anEvidence({
    findings: null,
    title: 'Claim A10',
    claim: {
      id: 'A10',
      sentence: 'On iOS all browsers are equal.',
      source: '“Explorations in Asynchronicity”',
      published: 'Mobile Safari, Firefox and Chrome on one iPad',
    },
    verdict: 'not-testable',
    directionVerdict: null,
    sizeVerdict: null,
    headline: 'not testable here',
    unsettled: null,
    moreBlocks: null,
    direction: 'not testable here',
    size: 'not testable here',
    reason: 'It takes an iPad with Safari, Firefox and Chrome; none is listed in devices.json.',
    assertions: [],
    counterfactuals: [],
    explanations: [],
    notes: [],
    command: 'npx crossfarm claims reproduce A10',
  });
}
