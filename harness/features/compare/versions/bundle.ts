import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import type { BuildFailure, BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild';
import { FarmError } from '../../../core/errors.ts';

interface PackagePage {
  readonly html: string;
  /** The page, as a path from where the user stands. */
  readonly page: string;
  /** Where the user stands. */
  readonly from: string;
  /** The folder that holds the `node_modules` of a version. */
  readonly folder: string;
  /** The version, as its user named it. */
  readonly name: string;
  /** Packages run as their developers have them. */
  readonly dev: boolean;
}

interface Bundle {
  /** A browser could not import the packages as they are, or would have to ask for each of many files. */
  readonly isNeeded: boolean;
  /** The page with the bundles of its module scripts. */
  readonly html: string;
  readonly write: () => Promise<void>;
}

/** A browser that asks for more files than this measures its requests. */
const mostFiles = 30;

const inPage = 'page';

/**
 * Bundles the module scripts of a page with the packages that they import, as users of the packages do.
 * @throws FarmError `bad-argument` for a script that cannot be bundled, with its file and import
 */
export async function bundlePage(page: PackagePage): Promise<Bundle> {
  const scripts: Script[] = [];
  const html = withBundles(page.html, scripts);
  const { outputFiles, metafile } = await build(page, scripts);
  requireOwnFiles(metafile, page);
  return {
    isNeeded: await needsBundle(metafile, page),
    html,
    write: async () => {
      for (const { path, contents } of outputFiles) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, contents);
      }
    },
  };
}

// ---------------------------------------------------------------- scripts of a page

interface Script {
  /** The file of the script as the page names it; null for one that stands in the page. */
  readonly src: string | null;
  /** The script itself, in the line where the page has it. */
  readonly code: string;
}

const scriptOrComment =
  /<!--[^]*?-->|<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>([^]*?)<\/script\s*>/gi;

function withBundles(html: string, scripts: Script[]): string {
  return html.replace(
    scriptOrComment,
    (whole, attributes: string | undefined, code: string, at: number) => {
      if (attributes === undefined || attributeIn(attributes, 'type') !== 'module') return whole;
      const src = attributeIn(attributes, 'src');
      if (src !== null && /^(\w+:)?\/\//.test(src)) return whole;
      const linesAbove = html.slice(0, at + whole.indexOf('>')).split('\n').length - 1;
      scripts.push({ src, code: '\n'.repeat(linesAbove) + code });
      const others = attributes.replace(attribute('src'), '');
      return `<script src="${outputName(scripts.length - 1)}.js"${others}></script>`;
    },
  );
}

function attribute(name: string): RegExp {
  return new RegExp(`(?<=\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
}

function attributeIn(attributes: string, name: string): string | null {
  const [, ...values] = attribute(name).exec(attributes) ?? [];
  return values.find((value) => value !== undefined) ?? null;
}

function outputName(index: number): string {
  return `crossfarm-script-${String(index)}`;
}

/** The names of the page's own import map, which its browser resolves. */
function namesInMap(html: string): readonly string[] {
  const [, text] = /<script\b[^>]*\bimportmap\b[^>]*>([^]*?)<\/script/i.exec(html) ?? [];
  try {
    const { imports } = JSON.parse(text ?? '{}') as { imports?: unknown };
    return Object.keys(imports ?? {}).map((name) => (name.endsWith('/') ? `${name}*` : name));
  } catch {
    // The browser will say what is wrong with it.
    return [];
  }
}

// ---------------------------------------------------------------- esbuild

type Built = BuildResult<{ write: false; metafile: true }>;

async function build(page: PackagePage, scripts: readonly Script[]): Promise<Built> {
  const { from, folder, name, dev } = page;
  const base = posix.dirname(page.page.replaceAll('\\', '/'));
  const options = {
    absWorkingDir: from,
    entryPoints: scripts.map((_, index) => ({ in: String(index), out: outputName(index) })),
    // The page's folder, for what a script finds by its own address.
    outdir: join(folder, posix.join('/', base)),
    chunkNames: 'crossfarm-[hash]',
    assetNames: 'crossfarm-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['module', dev ? 'development' : 'production'],
    define: {
      'process.env.NODE_ENV': dev ? '"development"' : '"production"',
      'process.env': '{}',
      global: 'globalThis',
    },
    minify: !dev,
    external: [...namesInMap(page.html)],
    plugins: [resolvesIn(page, scripts)],
    metafile: true,
    write: false,
    logLevel: 'silent',
  } as const satisfies BuildOptions;
  const esbuild = await import('esbuild');
  try {
    return await esbuild.build(options);
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first === undefined) throw error;
    const { file, line } = first.location ?? { file: page.page, line: 0 };
    const place = file.replace(/^page:(.*)#\d+$/, '$1').replace(/^.*(?=node_modules\/)/, '');
    throw new FarmError('bad-argument', {
      what: `${name} cannot be bundled with the page: ${place}:${String(line)}: ${first.text}`,
      next: 'A page may import the package that is compared, what npm installs with it, and what your own node_modules holds.',
    });
  } finally {
    await esbuild.stop();
  }
}

/** Scripts of the page are its entries; a package is the one that was installed, before the user's own. */
function resolvesIn({ from, folder, page }: PackagePage, scripts: readonly Script[]): Plugin {
  const pageFolder = dirname(resolve(from, page));
  const fileOf = (path: string): string =>
    path.startsWith('/') ? join(from, path) : resolve(pageFolder, path);
  return {
    name: 'crossfarm',
    setup({ onLoad, onResolve, resolve: find }) {
      onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === 'asked') return undefined;
        if (kind === 'entry-point') {
          const src = scripts[Number(path)]?.src ?? null;
          if (src !== null) return { path: fileOf(src.replace(/[?#].*$/, '')) };
          return { path: page, namespace: inPage, pluginData: path, suffix: `#${path}` };
        }
        if (isBelow(folder, importer)) return undefined;
        // A browser reads it from the root of the page's server.
        if (/^\/(?!\/)/.test(path) && !isBelow(from, path)) return { path: fileOf(path) };
        if (/^[./]|^\w+:/.test(path)) return undefined;
        const installed = await find(path, {
          kind,
          resolveDir: folder,
          importer,
          pluginData: 'asked',
        });
        if (installed.errors.length === 0) return installed;
        return find(path, { kind, resolveDir, importer, pluginData: 'asked' });
      });
      onLoad({ filter: /./, namespace: inPage }, ({ pluginData }) => ({
        contents: scripts[Number(pluginData)]?.code ?? '',
        resolveDir: pageFolder,
        loader: 'js',
      }));
    },
  };
}

function isBelow(folder: string, file: string): boolean {
  const [first] = relative(folder, file).split(sep);
  return first !== '..' && file !== '';
}

interface Input {
  readonly path: string;
  readonly imports: Metafile['inputs'][string]['imports'];
  readonly format: string | undefined;
}

function inputsOf({ inputs }: Metafile, from: string): readonly Input[] {
  return Object.entries(inputs)
    .filter(([name]) => !/^\(?\w+\)?:/.test(name))
    .map(([name, { imports, format }]) => ({ path: resolve(from, name), imports, format }));
}

/** A stranger's package takes no file of the user's into a page. */
function requireOwnFiles(metafile: Metafile, { from, folder, name }: PackagePage): void {
  for (const { path, imports } of inputsOf(metafile, from)) {
    if (!isBelow(folder, path)) continue;
    const strange = imports.find(
      (one) =>
        one.external !== true &&
        !/^\(?\w+\)?:/.test(one.path) &&
        !isBelow(folder, resolve(from, one.path)),
    );
    if (strange === undefined) continue;
    throw new FarmError('bad-argument', {
      what: `${name} cannot be bundled with the page: ${relative(folder, path)} imports ${strange.original ?? strange.path}, which leads out of what npm installed.`,
      next: 'Compare another version of the package.',
    });
  }
}

async function needsBundle(metafile: Metafile, { from, folder }: PackagePage): Promise<boolean> {
  const inputs = inputsOf(metafile, from);
  if (inputs.length > mostFiles) return true;
  const packaged = inputs.filter(({ path }) => path.includes(`${sep}node_modules${sep}`));
  if (packaged.some(({ path, format }) => format !== 'esm' || !isBelow(folder, path))) return true;
  const texts = await Promise.all(packaged.map(({ path }) => readFile(path, 'utf8')));
  return texts.some((text) => /\bprocess\.env\b/.test(text));
}
