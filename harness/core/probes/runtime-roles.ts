import type { ThreadRole } from '../model/reading.ts';
import type { Engine } from './processes.ts';

/** One row: threads of this engine, in these processes, with such a name, have this role. */
export interface RoleRow {
  readonly engine: Engine;
  /** Kinds of process as `processName` gives them; null for any. */
  readonly processes: readonly string[] | null;
  /** Matched against the name that the kernel shows; null means the process's first thread. */
  readonly name: RegExp | null;
  readonly role: ThreadRole;
  /** The evidence, and the limits of what is known. */
  readonly evidence: string;
}

/**
 * Rows of the role table for runtimes and shells. "Seen" means: on Debian 12 with 2 cores, in Node.js 20.20,
 * 22.23 and 24.21, Deno 2.9 and Bun 1.4, with the times of all threads read 3 s apart while a
 * script ran an asynchronous recursion on its main thread or in a worker, a plain recursion, a loop
 * that keeps making new hot functions, or reads of 20 files at once. The machine was shared: shares
 * between threads count here, not their sum.
 */
export const runtimeRoles: readonly RoleRow[] = [
  {
    engine: 'node',
    processes: null,
    name: null,
    role: 'js-main',
    evidence:
      'Seen ("node", in Node.js 24 "MainThread"): the only busy thread of a plain recursion, and 1 ms of 3 s while a worker ran it.',
  },
  {
    engine: 'node',
    processes: null,
    name: /^WorkerThread/,
    role: 'js-worker',
    evidence:
      'Named so by Node.js 24; in 20 and 22, where every thread is called "node", the kit gives its worker this name. Seen: 641 ms while it recursed, 1 ms of the main thread.',
  },
  {
    engine: 'node',
    processes: null,
    name: /^V8Worker/,
    role: 'gc',
    evidence:
      'Node.js 24. One pool serves the parallel collector and the concurrent compilers. Seen for asynchronous recursion: 178 ms over four threads, 8 ms with --single-threaded-gc, nothing for plain recursion. Known limit: a script that keeps making new hot functions showed 460 ms, which --no-concurrent-recompilation took to 12 ms; timed windows follow the warm-up, when compiling is over.',
  },
  {
    engine: 'node',
    processes: null,
    name: /^libuv-worker/,
    role: 'io',
    evidence:
      'Thread pool, also for the asynchronous functions of native packages. Named so by Node.js 22 and later; in 20 a server that hashes passwords gives its own pool this name. Seen: 626 ms over four threads while files were read; while bcrypt made 16 hashes asynchronously, 1.4 s over four threads, over one with UV_THREADPOOL_SIZE=1, and none while it made them synchronously.',
  },
  {
    engine: 'node',
    processes: null,
    name: /^node$/,
    role: 'other',
    evidence:
      'One name for V8’s pool, the inspector and, in Node.js 20, the thread pool; with Node.js 24 each has its own. Seen in 20 for asynchronous recursion: 457 ms over four threads, none with --single-threaded-gc; but also 523 ms over four others while files were read, so no role can be given.',
  },
  {
    engine: 'deno',
    processes: null,
    name: null,
    role: 'js-main',
    evidence: 'Seen ("deno"): the only busy thread of a plain recursion, 910 ms.',
  },
  {
    engine: 'deno',
    processes: null,
    name: /^worker-\d/,
    role: 'js-worker',
    evidence: 'Seen: 604 ms while it recursed, 1 ms of the main thread.',
  },
  {
    engine: 'deno',
    processes: null,
    name: /^V8 DefaultWorke/,
    role: 'gc',
    evidence:
      'V8’s pool, as in Node.js. Seen for asynchronous recursion: 182 to 441 ms over two threads, 1 ms for plain recursion; --single-threaded-gc leaves one of the two. Known limit: 490 ms for a script that keeps making new hot functions.',
  },
  {
    engine: 'deno',
    processes: null,
    name: /^tokio-runtime-w/,
    role: 'io',
    evidence:
      'Deno’s pool for blocking work, also for the asynchronous functions of native packages. Seen: 1.2 s over 33 threads while files were read; 1.3 s over 16 threads while bcrypt made 16 hashes, whatever UV_THREADPOOL_SIZE said.',
  },
  {
    engine: 'bun',
    processes: null,
    name: null,
    role: 'js-main',
    evidence: 'Seen ("bun.exe"): the only busy thread of a plain recursion, 1.0 s.',
  },
  {
    engine: 'bun',
    processes: null,
    name: /^Worker$/,
    role: 'js-worker',
    evidence: 'Seen: 815 ms while it recursed, 1 ms of the main thread.',
  },
  {
    engine: 'bun',
    processes: null,
    name: /^(HeapHelper|ollector Thread)/,
    role: 'gc',
    evidence:
      'JavaScriptCore’s names, as in WebKit. Seen: HeapHelper 96 ms for asynchronous recursion, none with BUN_JSC_numberOfGCMarkers=1.',
  },
  {
    engine: 'bun',
    processes: null,
    name: /^JITWorker/,
    role: 'jit',
    evidence:
      'Seen: 374 ms for a script that keeps making new hot functions, none with BUN_JSC_useConcurrentJIT=0.',
  },
  {
    engine: 'bun',
    processes: null,
    name: /^Bun Pool/,
    role: 'io',
    evidence:
      'Bun’s pool for blocking work, also for the asynchronous functions of native packages. Seen: 1.6 s over two threads while files were read; 1.4 s over two threads while bcrypt made 16 hashes, over eight with UV_THREADPOOL_SIZE=8, over two with 1.',
  },
  {
    engine: 'jsc',
    processes: ['jsc'],
    name: null,
    role: 'js-main',
    evidence:
      'Seen (WebKitGTK 2.50.6): 1.1 s for asynchronous recursion, 12 ms of the next. A second thread inherits the process’s name and was seen with 3 ms; only the first one is meant.',
  },
  {
    engine: 'jsc',
    processes: ['jsc'],
    name: /^(HeapHelper|ollector Thread)/,
    role: 'gc',
    evidence: 'JavaScriptCore’s names, as in WebKit; seen with less than 1 ms of 1.1 s.',
  },
  {
    engine: 'jsc',
    processes: ['jsc'],
    name: /^JITWorker/,
    role: 'jit',
    evidence: 'JavaScriptCore’s name, as in WebKit; seen with 12 ms of 1.1 s.',
  },
  {
    engine: 'chakracore',
    processes: ['chakracore'],
    name: null,
    role: 'js-main',
    evidence:
      'Seen (1.11.16): all of the time of asynchronous recursion; its background work is switched off.',
  },
  {
    engine: 'spidermonkey',
    processes: ['js', 'js102', 'js115', 'js128', 'js140'],
    name: null,
    role: 'js-main',
    evidence: 'Seen (102.15.1): 642 ms for asynchronous recursion, 12 ms of the next.',
  },
  {
    engine: 'spidermonkey',
    processes: ['js', 'js102', 'js115', 'js128', 'js140'],
    name: /^JS Helper/,
    role: 'other',
    evidence:
      'One pool serves the collector, the compilers and other tasks, as in Firefox; seen with 20 ms over two threads beside 642 ms.',
  },
];
