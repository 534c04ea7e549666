import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pagesFolder } from '../../core/project.ts';
import { gridDevice, type GridUnderFire } from './grid-under-fire.ts';

/** Faults of a page itself; each is a case of the benchmark `trouble`. */
export const pageFaults = {
  'tab hung in a loop': 'for (;;);',
  'page posts garbage': `await post('result', '{"samples": "many"');`,
  'page posts 3 MB': `await post('result', 'x'.repeat(3_000_000)).catch(() => undefined);`,
  'page says nothing': '',
  // Only where the heap has a limit: otherwise the page does nothing, and the machine keeps its
  // memory.
  'out-of-memory tab':
    "if (navigator.userAgent.includes('Chrome/')) { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); }",
} as const;

export type PageFault = keyof typeof pageFaults;

const measurement = {
  iterations: 5,
  minIterations: 1,
  maxTimedMs: 50,
  minGranules: 100,
  warmUp: { minIterations: 1, maxIterations: 100, maxMs: 50 },
};

/**
 * Makes a folder of pages with `control`, a page that misbehaves, and a suite of both, with six
 * good cases in every block, and each fault of the pages once where a browser shows them; and the
 * devices.
 */
export async function makePages(
  folder: string,
  faults: readonly PageFault[],
  grid: GridUnderFire | null,
): Promise<string> {
  const pages = join(folder, 'pages');
  for (const name of ['kit', 'control']) {
    await cp(join(pagesFolder(), name), join(pages, name), { recursive: true });
  }
  await mkdir(join(pages, 'trouble'), { recursive: true });
  await mkdir(join(pages, 'suites'), { recursive: true });
  const trouble = {
    id: 'trouble',
    version: 1,
    title: 'Trouble',
    description: 'A page that misbehaves.',
    page: 'index.html',
    hosts: ['browser'],
    parameters: [{ kind: 'choice', name: 'fault', values: allFaults, default: allFaults[0] }],
    metrics: [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
  };
  const cases = [
    { benchmark: 'control', parameters: { rounds: [1000, 1001, 1002, 1003, 1004, 1005] } },
    ...(faults.length === 0 ? [] : [{ benchmark: 'trouble', parameters: { fault: faults } }]),
  ];
  const suite = {
    title: 'good cases and bad ones',
    hosts: ['browser', 'runtime'],
    isolation: 'session',
    trials: 4,
    measurement,
    cases,
  };
  await writeFile(join(pages, 'trouble', 'benchmark.json'), JSON.stringify(trouble));
  await writeFile(join(pages, 'trouble', 'index.html'), page);
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: devicesBeside(grid) }));
  await writeFile(join(pages, 'suites', 'faults.json'), JSON.stringify(suite));
  return pages;
}

/** A small heap for Chromium, so that a page that fills it disturbs nothing else. */
const smallHeap = '--js-flags=--max-old-space-size=96';

const devices = [
  {
    id: 'chromium',
    browser: 'chromium',
    driver: 'playwright',
    flags: [smallHeap],
  },
  { id: 'webkitgtk', browser: 'webkitgtk', driver: 'webdriver' },
  { id: 'node', browser: 'node', driver: 'process' },
  { id: 'chromium-appium', browser: 'chromium', driver: 'appium' },
];

function devicesBeside(grid: GridUnderFire | null): readonly object[] {
  if (grid === null) return devices;
  const onGrid = {
    id: gridDevice,
    browser: 'chromium',
    driver: 'webdriver',
    server: grid.address,
    node: 'a',
    // Chromium's sandbox does not work for root, and a remote browser needs the flag here.
    flags: [smallHeap, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  };
  return [...devices, onGrid];
}

const allFaults = Object.keys(pageFaults) as readonly PageFault[];

const branches = Object.entries(pageFaults).map(
  ([name, script]) => `if (fault === ${JSON.stringify(name)}) { ${script} }`,
);

const page = `<!doctype html><title>trouble</title><script type="module">
  const trial = '/trial/' + new URLSearchParams(location.search).get('trial');
  const post = (what, body) => fetch(trial + '/' + what, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { parameters: { fault } } = await (await fetch(trial + '/assignment')).json();
  ${branches.join('\n  ')}
</script>`;
