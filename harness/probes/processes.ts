/** Kinds of process by command line, as thread readings name them. */

export type Engine = 'chromium' | 'firefox' | 'webkit' | 'node' | 'deno' | 'bun';

/** The engine behind a product; null for programs, whose threads we have no table for. */
export function engineOf(browser: string): Engine | null {
  switch (browser) {
    case 'chromium':
    case 'chrome':
    case 'edge':
    case 'samsung':
      return 'chromium';
    case 'firefox':
      return 'firefox';
    case 'webkit':
    case 'webkitgtk':
    case 'safari':
      return 'webkit';
    case 'node':
    case 'deno':
    case 'bun':
      return browser;
    default:
      return null;
  }
}

/**
 * browser, renderer, gpu, network, storage, utility, zygote (Chromium); browser, content, socket,
 * rdd, utility, forkserver, … (Firefox); browser, web, network, gpu (WebKit). Any other program
 * of the session, such as a driver server, and every runtime goes by the name of its executable.
 */
export function processName(engine: Engine | null, argv: readonly string[]): string {
  // Forked children hold their whole command line in the first argument (see `parseCmdline`).
  const words = argv.flatMap((argument) => argument.split(' ')).filter((word) => word !== '');
  const program = (words[0] ?? '').split('/').at(-1) ?? '';
  if (program === '') return 'unknown';
  switch (engine) {
    case 'chromium':
      return chromiumProcess(program, words);
    case 'firefox':
      return firefoxProcess(program, words);
    case 'webkit':
      return webkitProcess(program);
    case 'node':
    case 'deno':
    case 'bun':
    case null:
      return program;
  }
}

const chromiumPrograms = /^(chrom(e|ium)(-.*)?|google-chrome.*|headless_shell|msedge.*)$/;

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
  if (!/^firefox/.test(program)) return program;
  if (!words.includes('-contentproc')) return 'browser';
  // The last argument is the kind: tab, socket, rdd, utility, forkserver, gpu, …
  const kind = words.at(-1) ?? 'unknown';
  return kind === 'tab' ? 'content' : kind;
}

function webkitProcess(program: string): string {
  if (/^(WebKit|WPE)WebProcess$/.test(program)) return 'web';
  if (/^(WebKit|WPE)NetworkProcess$/.test(program)) return 'network';
  if (/^(WebKit|WPE)GPUProcess$/.test(program)) return 'gpu';
  return program === 'MiniBrowser' ? 'browser' : program;
}
