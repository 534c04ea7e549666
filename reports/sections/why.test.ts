/** Causes on the first screen: only what was seen with a difference. */
import { expect, test } from '@playwright/test';
import { renderComparison } from '../comparison.ts';
import type { CpuFacts, Findings, ThreadSummary } from '../../harness/core/results/index.ts';
import { anExample } from '../golden/example.ts';
import { aPairExample } from '../golden/pair-example.ts';
import { aRunsExample } from '../golden/runs-example.ts';
import { visibleWords } from '../golden/markup.ts';

const noProof = 'need not be its cause: only the same trials without the suspect show that.';

type Changes = (
  targetId: string,
) => Partial<ThreadSummary> & Pick<Partial<CpuFacts>, 'foreignShare'>;

/** The example with other numbers of threads and of foreign programs on each target. */
function withThreads(changes: Changes): Findings {
  const findings = anExample();
  const cpu = findings.cpu.map((facts): CpuFacts => {
    const { foreignShare = 0.01, ...threads } = changes(facts.targetId);
    if (!('roles' in facts.threads)) return facts;
    return { ...facts, foreignShare, threads: { ...facts.threads, ...threads } };
  });
  return { ...findings, cpu };
}

const alike = { coresBusy: 1.04, javascriptParallelism: 0.9, gcShare: 0.12 };

/** The text before the section on targets. */
async function firstScreen(findings: Findings): Promise<string> {
  const page = await renderComparison(findings);
  return visibleWords(page.slice(0, page.indexOf('<h2 id="targets"')));
}

test('a difference is listed with what else differed: cores busy and garbage collection', async () => {
  const findings = withThreads((id) =>
    id === 'firefox' ? { ...alike, coresBusy: 1.49, gcShare: 0.44 } : alike,
  );
  const words = await firstScreen(findings);
  expect(words).toMatch(
    /9 blocks\. Seen with it: 1\.49 .{0,9} 1\.04 cores busy; GC 44 % .{0,9} 12 %/,
  );
  expect(words).toContain(noProof);
  expect(words.match(/Seen with it/g)).toHaveLength(3);
});

test('JavaScript on several cores and other programs are named', async () => {
  const findings = withThreads((id) =>
    id === 'firefox' ? { ...alike, javascriptParallelism: 1.9, foreignShare: 0.11 } : alike,
  );
  expect(await firstScreen(findings)).toMatch(
    /Seen with it: other programs .{0,9}11 % .{0,9} 1\.0 % .{0,15}JavaScript .{0,9}1\.90 .{0,9} 0\.90 cores/,
  );
});

test('without any other recorded difference, no suspect is named', async () => {
  const words = await firstScreen(withThreads(() => alike));
  expect(words).not.toContain('Seen with it');
  expect(words).not.toContain(noProof);
});

test('a machine with another number of cores is named, and unread threads are not', async () => {
  const { cpu, ...findings } = anExample();
  const unread = cpu.map((facts): CpuFacts => ({
    ...facts,
    foreignShare: null,
    threads: { notSupported: 'there is no /proc here.' },
    cores: { sliceMs: 20, busy: facts.targetId === 'firefox' ? [[1]] : [[1], [0]], costShare: 0 },
  }));
  expect(await firstScreen({ ...findings, cpu: unread })).toMatch(
    /Seen with it: .{0,9}machine .{0,9}1 .{0,9}2 cores/,
  );
  expect(await firstScreen({ ...findings, cpu: [] })).not.toContain('Seen with it');
});

test('a claim that fits is named once, with the command that measures it', async () => {
  const words = await firstScreen(anExample());
  expect(words).toMatch(
    /claims .{0,60}asyncFib .{0,40}Firefox\. npx crossfarm claims reproduce A3/,
  );
  expect(await firstScreen({ ...anExample(), fitting: [] })).not.toContain(
    'npx crossfarm claims reproduce',
  );
});

test('names the differing build and start of that device alone', async () => {
  const words = await firstScreen(aRunsExample());
  expect(words).toMatch(/Seen with it: .{0,20}firefox 153\.0esr .{0,9}firefox 152\.4esr/);
  const { between, ...findings } = aRunsExample();
  const ofChromium = between!.map((one) => ({
    ...one,
    targetIds: ['chromium@12', 'chromium@14'],
  }));
  const other = await firstScreen({ ...findings, between: ofChromium });
  expect(other).not.toContain('Seen with it');
});

test('a comparison of one pair lists what else differed, and nothing for equivalent sides', async () => {
  expect(await firstScreen(aPairExample())).toContain('Nothing recorded says why (alike: ');
  const { verdicts, ...findings } = aPairExample();
  const pairs = verdicts.pairs.map((pair) => ({ ...pair, verdict: 'equivalent' as const }));
  const same = await firstScreen({ ...findings, verdicts: { ...verdicts, pairs } });
  expect(same).not.toContain('Nothing recorded');
  expect(same).not.toContain(noProof);
});

type Blame = NonNullable<Findings['blame']>;
type BlamedRow = Blame['comparisons'][number]['rows'][number];

const slower: BlamedRow = {
  name: '<b> (fib.js:12)',
  changeMs: 8.1,
  low: 6.9,
  high: 9.4,
  share: 0.8,
};
const faster: BlamedRow = {
  name: 'parse (fib.js:2)',
  changeMs: -12,
  low: -13,
  high: -11,
  share: 1,
};

/** A comparison in which the whole became slower by 10 ms. */
function blamed(rows: readonly BlamedRow[]): Blame {
  const total = { changeMs: 10, low: 9, high: 11, isDecided: true };
  const sides = { browser: null, page: null, version: 'a', against: 'b', blocks: 12 };
  const run = { run: 1, command: 'x', profiledRuns: [2], alpha: 0.05, notProfiled: [] };
  return { ...run, comparisons: [{ ...sides, total, rows }] };
}

test('a function that was blamed stands where nothing else says why', async () => {
  const words = await firstScreen({ ...aPairExample(), blame: blamed([slower]) });
  expect(words).toMatch(/changed most: <b&gt; \(fib\.js:12\) ?, \+8\.1 ms \(6\.9 … 9\.4\)/);
  expect(words).not.toContain('Nothing recorded says why');
  const nothing = await firstScreen({ ...aPairExample(), blame: blamed([]) });
  expect(nothing).toContain('Nothing recorded');
});

test('what became slower is said by a function that did, too', async () => {
  const words = await firstScreen({ ...aPairExample(), blame: blamed([faster, slower]) });
  expect(words).toContain('changed most: <b&gt; (fib.js:12)');
  const against = await firstScreen({ ...aPairExample(), blame: blamed([faster]) });
  expect(against).not.toContain('changed most');
});

test('a list of differences names the function where nothing else was seen', async () => {
  const { verdicts, ...findings } = aPairExample();
  const listed = { ...findings, verdicts: { ...verdicts, course: null } };
  const words = await firstScreen({ ...listed, blame: blamed([slower]) });
  expect(words).toContain('changed most: <b&gt; (fib.js:12)');
  expect(words).not.toContain(noProof);
  expect(await firstScreen(listed)).not.toContain('changed most');
});
