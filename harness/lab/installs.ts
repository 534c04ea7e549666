import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../core/project.ts';
import type { BenchRow } from './row.ts';

/** A package manager: how it is called, and what it needs besides a package.json. */
interface Manager {
  readonly name: string;
  readonly add: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Runs a program of a package; its link in `node_modules` is run when left out. */
  readonly exec?: readonly string[];
}

const managers: readonly Manager[] = [
  { name: 'npm', add: ['npm', 'install', '--no-audit', '--no-fund'] },
  // Without the packages that a run may do without: other drivers, and the compiled SQLite.
  {
    name: 'npm --omit=optional',
    add: ['npm', 'install', '--no-audit', '--no-fund', '--omit=optional', 'fastify'],
  },
  { name: 'pnpm 10', add: ['npx', '-y', 'pnpm@10', 'add'] },
  { name: 'yarn 1', add: ['npx', '-y', 'yarn@1', 'add', '--non-interactive'] },
  {
    name: 'yarn 4',
    add: ['npx', '-y', '@yarnpkg/cli-dist@4', 'add'],
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n', 'yarn.lock': '' },
  },
  // Packages stay in archives, and a package finds only what it declares.
  {
    name: 'yarn 4 PnP',
    add: ['npx', '-y', '@yarnpkg/cli-dist@4', 'add'],
    files: {
      '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\n',
      'yarn.lock': '',
    },
    exec: ['npx', '-y', '@yarnpkg/cli-dist@4', 'exec'],
  },
];

/** Major versions of Node.js that the package supports. */
const nodes = ['20', '22', '24'];

/** The seconds and megabytes of one installation, and what it measured. */
export interface Installation {
  readonly manager: string;
  readonly node: string;
  readonly packages: number;
  readonly bytes: number;
  readonly installMs: number;
  /** From the start of the installation. */
  readonly verdictMs: number;
  readonly version: string;
  readonly verdict: string;
  /** Bytes of the report. */
  readonly report: number;
}

/**
 * Installs the package from a registry with each package manager and Node.js (`CROSSFARM_MANAGERS`,
 * `CROSSFARM_NODES` for some), and compares two pages with it.
 */
export async function installsBench(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-installs-'));
  try {
    const archive = await packFarm(folder);
    const rows: BenchRow[] = [];
    for (const node of chosen('CROSSFARM_NODES', nodes)) {
      const bin = await installNode(node, folder);
      for (const name of chosen(
        'CROSSFARM_MANAGERS',
        managers.map((one) => one.name),
      )) {
        const into = join(folder, `${name.replaceAll(/\W+/g, '-')}-${node}`);
        rows.push(await describe({ archive, manager: name, node, bin, folder: into }));
      }
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function chosen(variable: string, all: readonly string[]): readonly string[] {
  return process.env[variable]?.split(',') ?? all;
}

async function describe(order: Order): Promise<BenchRow> {
  const row = { bench: 'installs', figure: `${order.manager}, Node.js ${order.node}`, ratio: null };
  try {
    const { packages, bytes, installMs, verdictMs, verdict } = await install(order);
    const detail = `${String(packages)} packages, ${(bytes / 1e6).toFixed(0)} MB, installed in ${(installMs / 1000).toFixed(0)} s; ${verdict}`;
    return { ...row, value: verdictMs / 1000, unit: 's', detail };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { ...row, value: NaN, unit: 's', detail: said.slice(-600) };
  } finally {
    await rm(order.folder, { recursive: true, force: true });
  }
}

/** Packs the package as it was built. @returns the path of the archive */
export async function packFarm(folder: string): Promise<string> {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await execa('npm', pack, { cwd: projectRoot() });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  return join(folder, packed.filename);
}

/** Gets a Node.js from the registry. @returns the folder of its program; none for the one that runs this */
export async function installNode(major: string, folder: string): Promise<string | null> {
  if (process.versions.node.split('.')[0] === major) return null;
  const into = join(folder, `node-${major}`);
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "private": true }');
  await execa('npm', ['install', '--no-audit', '--no-fund', `node@${major}`], { cwd: into });
  return join(into, 'node_modules', 'node', 'bin');
}

interface Order {
  readonly archive: string;
  /** By its name in the list above. */
  readonly manager: string;
  readonly node: string;
  /** Null for the Node.js that runs this. */
  readonly bin: string | null;
  /** Where it is installed; made by this. */
  readonly folder: string;
}

/** Installs the archive and measures with it. @throws an Error of what failed, with what it printed */
export async function install({ archive, folder, bin, ...order }: Order): Promise<Installation> {
  const manager = managers.find(({ name }) => name === order.manager);
  if (manager === undefined) throw new RangeError(`there is no manager ${order.manager}`);
  await mkdir(folder, { recursive: true });
  const pages = { 'old.html': pageOf(10), 'new.html': pageOf(20) };
  const files = { 'package.json': '{ "private": true }', ...pages, ...manager.files };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const path = process.env['PATH'] ?? '';
  const env = { PATH: bin === null ? path : `${bin}${delimiter}${path}`, NO_COLOR: '1' };
  const run = async ([program = '', ...args]: readonly string[], codes = [0]) => {
    const ended = await execa(program, args, { cwd: folder, env, reject: false, all: true });
    if (codes.includes(ended.exitCode ?? -1)) return ended.stdout;
    throw new Error(`${program} ${args.join(' ')}: ${ended.all.slice(-2000)}`);
  };
  const startedAt = performance.now();
  await run([...manager.add, `crossfarm@file:${archive}`]);
  const installMs = performance.now() - startedAt;
  const farm =
    manager.exec === undefined
      ? [join(folder, 'node_modules', '.bin', 'crossfarm')]
      : [...manager.exec, 'crossfarm'];
  const version = await run([...farm, '--version']);
  const compare = [...farm, 'compare', 'old.html', 'new.html', '--browsers', 'chromium'];
  const fast = ['--measurement', 'fast', '--no-probes', '--max-blocks', '20', '--json'];
  const { comparisons } = JSON.parse(await run([...compare, ...fast])) as Compared;
  const verdictMs = performance.now() - startedAt;
  const report = JSON.parse(await run([...farm, 'report', '--json'])) as { readonly bytes: number };
  const { packages, bytes } = await measureFolder(
    join(folder, manager.exec === undefined ? 'node_modules' : '.yarn'),
  );
  const verdict = comparisons.map((one) => one.verdict).join();
  const found = { packages, bytes, installMs, verdictMs, version, verdict };
  return { manager: order.manager, node: order.node, ...found, report: report.bytes };
}

interface Compared {
  readonly comparisons: readonly { readonly verdict: string }[];
}

/** A page that says how long its work took. */
function pageOf(ms: number): string {
  return `<!doctype html><script>performance.measure('work', { start: 0, end: ${String(ms)} })</script>`;
}

/** Counts packages, also those in an archive, and bytes; links are not followed. */
async function measureFolder(
  folder: string,
): Promise<{ readonly packages: number; readonly bytes: number }> {
  let [packages, bytes] = [0, 0];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const below = await measureFolder(path);
      packages += below.packages;
      bytes += below.bytes;
    } else if (entry.isFile()) {
      bytes += (await lstat(path)).size;
      const isPackage = /node_modules[/\\](@[^/\\]+[/\\])?[^/\\]+[/\\]package\.json$/.test(path);
      if (isPackage || /\.yarn[/\\]cache[/\\][^/\\]+\.zip$/.test(path)) packages += 1;
    }
  }
  return { packages, bytes };
}
