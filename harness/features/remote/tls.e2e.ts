import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa, type ResultPromise } from 'execa';
import { projectRoot } from '../../core/project.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { openStore } from '../../core/store/store.ts';
import { aFolder } from '../../testing/folder.ts';
import { Network } from '../../testing/network.ts';

/**
 * A browser on another machine (a network namespace) that trusts the farm's authority by a policy of
 * its own system, as a phone does by its settings. No real phone took part.
 */

interface Certificate {
  /** In base64. */
  readonly der: string;
  /** The file that has it in PEM. */
  readonly path: string;
}

/** Where each browser reads its policies; the tests put a folder of their own there, for it alone. */
const browsers = {
  chrome: {
    names: ['chromium', 'chromium-browser'],
    policies: '/etc/chromium',
    file: 'policies/managed/farm.json',
    policy: ({ der }: Certificate): unknown => ({ CACertificates: [der] }),
  },
  firefox: {
    names: ['firefox-esr', 'firefox'],
    policies: '/usr/lib/firefox-esr/distribution',
    file: 'policies.json',
    policy: ({ path }: Certificate): unknown => ({
      policies: { Certificates: { Install: [path] } },
    }),
  },
} as const;

type Product = keyof typeof browsers;

/** Acts as a person: opens the address, names the device, waits for the end. */
const visit = `
  import puppeteer from 'puppeteer-core';
  const [product, executablePath, userDataDir, url] = process.argv.slice(1);
  const args = product === 'chrome' ? ['--no-sandbox'] : [];
  const browser = await puppeteer.launch({ browser: product, executablePath, userDataDir, args });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.waitForSelector('#name', { timeout: 20_000 });
    const facts = await page.evaluate(async () => ({
      protocol: location.protocol,
      isolated: crossOriginIsolated,
      sharedMemory: typeof SharedArrayBuffer === 'function',
      wakeLock: 'wakeLock' in navigator,
      ownFiles: (await navigator.storage?.getDirectory?.())?.kind ?? null,
      text: document.body.innerText,
    }));
    await page.type('#name', 'Phone');
    await page.click('#join button');
    await page.waitForFunction(
      () => /has ended/.test(document.querySelector('#status').textContent),
      { timeout: 90_000 },
    );
    console.log(JSON.stringify(facts));
  } finally {
    await browser.close();
  }
`;

interface Facts {
  readonly protocol: string;
  readonly text: string;
}

const network = new Network('farm');
const machines = ['phone'];
let impossible: string | null = null;

test.beforeAll(async () => {
  impossible = await network.make(machines);
});

test.afterAll(() => network.remove(machines));

interface Visit {
  readonly code: number;
  readonly facts: Facts;
  /** Outcomes and clocks of the trials, as they were stored. */
  readonly trials: readonly {
    readonly benchmark: string;
    readonly kind: string;
    /** What a failed one says. */
    readonly why: string | null;
    readonly clock: { readonly granuleUs: number; readonly isolated: boolean } | null;
  }[];
}

/** What the report of a device says, as far as it is held here. */
interface Report {
  readonly page: { readonly granuleUs: number } | null;
  readonly checks: readonly { readonly name: string; readonly seen: string }[];
}

interface Joining {
  readonly folder: string;
  readonly product: Product;
  readonly executable: string;
}

/** Runs a command of the farm that a browser of the other machine joins. */
async function joinFarm(
  { folder, product, executable }: Joining,
  args: readonly string[],
): Promise<{ readonly code: number; readonly facts: Facts; readonly said: string }> {
  const farm = startFarm(folder, args);
  const invitation = await awaitInvitation(farm);
  const words = ['node', '--input-type=module', '-e', visit, '--', product, executable];
  const seen = await inPhone(await trusting(product, folder), [
    ...words,
    join(folder, 'profile'),
    invitation,
  ]);
  const { exitCode = -1, stdout, stderr } = await farm;
  return {
    code: exitCode,
    facts: JSON.parse(seen) as Facts,
    said: `${String(stdout)}${String(stderr)}`,
  };
}

/** Measures a browser of the other machine that joins. */
async function measure(
  product: Product,
  executable: string,
  args: readonly string[],
): Promise<Visit> {
  const folder = await aFolder();
  const { code, facts } = await joinFarm({ folder, product, executable }, [
    ...['attend', '--json', '--lan', '10.77.0.1'],
    ...cases,
    ...args,
  ]);
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const { trials } = (await store.readRun(1))!;
  await store.close();
  return {
    code,
    facts,
    trials: trials.map(({ job, outcome }) => ({
      benchmark: job.case.benchmark.id,
      kind: outcome.kind,
      why: outcome.kind === 'failed' ? outcome.failure.message : null,
      clock: outcome.kind === 'completed' ? outcome.result.clock : null,
    })),
  };
}

const cases = [
  ...['--bench', 'thread-start,fib', '--param', 'threads=2', '--param', 'order=sequential'],
  ...['--param', 'kind=own', '--param', 'pool=0', '--param', 'function=syncFib', '--param', 'n=10'],
  ...['--param', 'place=worker', '--trials', '1', '--measurement', 'fast'],
];

function startFarm(folder: string, args: readonly string[]): ResultPromise {
  const [program, ...inside] = network.enter('farm');
  const main = join(projectRoot(), 'dist/harness/main.js');
  return execa(program, [...inside, 'node', main, ...args], {
    cwd: folder,
    reject: false,
    stdin: 'ignore',
    env: { XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' },
  });
}

/** Waits for the first address, in text or JSON. @throws an Error with what the farm said where it ends before */
function awaitInvitation(farm: ResultPromise): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (bytes: Buffer): void => {
      said += String(bytes);
      const [address] = /http:\/\/10\.77\.0\.1:\d+\/[^\s"]+(?=[\s"])/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    };
    farm.stdout?.on('data', hear);
    farm.stderr?.on('data', hear);
    void farm.then(() => {
      reject(new Error(`the farm invited nobody: ${said}`));
    });
  });
}

/** Has a browser's system trust the farm's authority, where there is one. @returns what to mount, and where */
async function trusting(product: Product, folder: string): Promise<readonly [string, string]> {
  const { policies, file, policy } = browsers[product];
  const place = join(folder, 'policies', file);
  await mkdir(join(place, '..'), { recursive: true });
  const text = await readAuthority(folder);
  if (text !== null) {
    const certificate = join(folder, 'authority.crt');
    await writeFile(certificate, text);
    const der = text.replace(/-----[A-Z ]+-----|\s/g, '');
    await writeFile(place, JSON.stringify(policy({ der, path: certificate })));
  }
  return [join(folder, 'policies'), policies];
}

async function readAuthority(folder: string): Promise<string | null> {
  const file = join(folder, 'state', 'crossfarm', 'tls', 'authority.pem');
  const text = await readFile(file, 'utf8').catch(() => '');
  return /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0] ?? null;
}

/** Runs a program on the other machine, with a folder mounted for it and its children alone. */
async function inPhone(
  [folder, at]: readonly [string, string],
  words: readonly string[],
): Promise<string> {
  const [program, ...inside] = network.enter('phone');
  const mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  const own = ['unshare', '--mount', 'sh', '-c', mount, 'sh', folder, at];
  const { stdout } = await execa(program, [...inside, ...own, ...words], {
    cwd: projectRoot(),
    env: { HOME: folder },
  });
  return stdout;
}

for (const product of ['chrome', 'firefox'] as const) {
  test(`a trusting ${product} of another machine has the fine clock and threads`, async () => {
    const executable = findOnPath([...browsers[product].names]);
    const isHere = executable !== null && existsSync(browsers[product].policies);
    test.skip(!isHere, `${product} with a folder of policies is not installed here`);
    test.skip(impossible !== null, impossible ?? '');
    test.setTimeout(120_000);
    const { code, facts, trials } = await measure(product, executable!, ['--tls']);
    expect(facts).toMatchObject({
      protocol: 'https:',
      isolated: true,
      sharedMemory: true,
      wakeLock: true,
      ownFiles: 'directory',
    });
    expect(facts.text).not.toContain('plain HTTP');
    expect(trials.map(({ benchmark, kind }) => [benchmark, kind]).sort()).toEqual([
      ['fib', 'completed'],
      ['thread-start', 'completed'],
    ]);
    for (const { clock } of trials) {
      expect(clock?.isolated).toBe(true);
      expect(clock?.granuleUs).toBeLessThanOrEqual(20);
    }
    expect(code).toBe(0);
  });
}

test('the report of a device that trusts the farm says that it is isolated', async () => {
  const executable = findOnPath([...browsers.chrome.names]);
  const isHere = executable !== null && existsSync(browsers.chrome.policies);
  test.skip(!isHere, 'Chromium with a folder of policies is not installed here');
  test.skip(impossible !== null, impossible ?? '');
  test.setTimeout(120_000);
  const folder = await aFolder();
  const mine = { id: 'mine', browser: 'chrome', driver: 'attended', automatic: false };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [mine] }));
  const { code, said } = await joinFarm({ folder, product: 'chrome', executable: executable! }, [
    ...['devices', 'doctor', '--device', 'mine', '--bundle', 'report.json', '--budget', '1ms'],
    ...['--lan', '10.77.0.1', '--tls'],
  ]);
  expect(code, said).toBe(0);
  const text = await readFile(join(folder, 'report.json'), 'utf8');
  const report = JSON.parse(text) as Report;
  expect(report).toMatchObject({ state: 'complete', page: { isolated: true } });
  expect(report.page?.granuleUs).toBeLessThanOrEqual(20);
  const works = report.checks.filter(({ seen }) => seen === 'works').map(({ name }) => name);
  expect(works).toEqual(
    expect.arrayContaining(['page', 'secure context', 'shared memory', 'files', 'wake lock']),
  );
  expect(text).not.toContain('10.77.0.1');
});

test('over plain HTTP the device says what is missing, and measures the rest', async () => {
  const executable = findOnPath([...browsers.chrome.names]);
  test.skip(executable === null, 'Chromium is not installed here');
  test.skip(impossible !== null, impossible ?? '');
  test.setTimeout(120_000);
  const { facts, trials } = await measure('chrome', executable!, []);
  expect(facts).toMatchObject({ protocol: 'http:', isolated: false, sharedMemory: false });
  expect(facts.text).toMatch(/no shared memory.*You can go on without.*--tls/);
  expect(trials.map(({ benchmark, kind }) => [benchmark, kind]).sort()).toEqual([
    ['fib', 'completed'],
    ['thread-start', 'failed'],
  ]);
  expect(trials.find(({ kind }) => kind === 'failed')?.why).toContain('With --tls');
});
