/** Kinds of process by command line, as thread readings name them. */

export type Engine =
  | 'chromium'
  | 'firefox'
  | 'webkit'
  | 'node'
  | 'deno'
  | 'bun'
  | 'jsc'
  | 'spidermonkey'
  | 'chakracore';

const engines: Readonly<Record<string, Engine>> = {
  chromium: 'chromium',
  chrome: 'chromium',
  edge: 'chromium',
  samsung: 'chromium',
  firefox: 'firefox',
  webkit: 'webkit',
  webkitgtk: 'webkit',
  wpewebkit: 'webkit',
  safari: 'webkit',
  node: 'node',
  deno: 'deno',
  bun: 'bun',
  jsc: 'jsc',
  spidermonkey: 'spidermonkey',
  chakracore: 'chakracore',
};

/** The engine behind a product; null for programs, whose threads we have no table for. */
export function findEngine(browser: string): Engine | null {
  return engines[browser] ?? null;
}

/**
 * browser, renderer, gpu, network, storage, utility, zygote (Chromium); browser, content, socket,
 * rdd, utility, forkserver, … (Firefox); browser, web, network, gpu (WebKit). Any other program
 * of the session, such as a driver server, and every runtime and shell goes by the name of its executable.
 */
export function processName(engine: Engine | null, argv: readonly string[]): string {
  const words = wordsOf(argv);
  const program = programOf(words);
  if (program === '') return 'unknown';
  switch (engine) {
    case 'chromium':
      return chromiumProcess(program, words);
    case 'firefox':
      return firefoxProcess(program, words);
    case 'webkit':
      return webkitProcess(program);
    default:
      return program;
  }
}

/**
 * The words of a command line by which `processName` knows the kind of a process, and no others:
 * arguments may be secrets.
 */
export function tellingWords(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = wordsOf(argv);
  const program = programOf([first]);
  if (chromiumPrograms.test(program)) {
    return [program, ...rest.filter((word) => /^--(type|utility-sub-type)=[\w.-]+$/.test(word))];
  }
  const isContent = firefoxPrograms.test(program) && rest.includes('-contentproc');
  return isContent
    ? [program, '-contentproc', ...rest.slice(-1).filter((word) => /^[a-z]+$/i.test(word))]
    : [program];
}

/** Forked children hold their whole command line in the first argument (see `parseCmdline`). */
function wordsOf(argv: readonly string[]): readonly string[] {
  return argv.flatMap((argument) => argument.split(/\s/)).filter((word) => word !== '');
}

function programOf([path = '']: readonly string[]): string {
  return path.split('/').at(-1) ?? '';
}

const chromiumPrograms = /^(chrom(e|ium)(-.*)?|google-chrome.*|headless_shell|msedge.*)$/;

const firefoxPrograms = /^firefox/;

function chromiumProcess(program: string, words: readonly string[]): string {
  const valueOf = (flag: string): string | undefined =>
    words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const type = valueOf('--type');
  if (type === undefined) return chromiumPrograms.test(program) ? 'browser' : program;
  if (type === 'gpu-process') return 'gpu';
  if (type !== 'utility') return type;
  // For example network.mojom.NetworkService; services without a row stay "utility".
  const subtype = valueOf('--utility-sub-type')?.split('.')[0];
  return subtype === 'network' || subtype === 'storage' || subtype === 'audio' ? subtype : type;
}

function firefoxProcess(program: string, words: readonly string[]): string {
  if (!firefoxPrograms.test(program)) return program;
  if (!words.includes('-contentproc')) return 'browser';
  // The last argument is the kind: tab, socket, rdd, utility, forkserver, gpu, …
  const kind = words.at(-1) ?? 'unknown';
  return kind === 'tab' ? 'content' : kind;
}

function webkitProcess(program: string): string {
  if (/^(WebKit|WPE)WebProcess$/.test(program)) return 'web';
  if (/^(WebKit|WPE)NetworkProcess$/.test(program)) return 'network';
  if (/^(WebKit|WPE)GPUProcess$/.test(program)) return 'gpu';
  return program === 'MiniBrowser' || program === 'cog' ? 'browser' : program;
}
