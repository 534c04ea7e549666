import type { ThreadRole } from '../model/reading.ts';
import type { Engine } from './processes.ts';

/**
 * Rows of the role table for runtimes. "Seen" means: on Debian 12 with 2 cores, in Node.js 20.20,
 * 22.23 and 24.21, Deno 2.9 and Bun 1.4, with the times of all threads read 3 s apart while a
 * script ran an asynchronous recursion on its main thread or in a worker, a plain recursion, a loop
 * that keeps making new hot functions, or reads of 20 files at once. The machine was shared: shares
 * between threads count here, not their sum.
 */
const runtimeRoles: readonly RoleRow[] = [
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
];

/** One row: threads of this engine, in these processes, with such a name, have this role. */
interface RoleRow {
  readonly engine: Engine;
  /** Kinds of process as `processName` gives them; null for any. */
  readonly processes: readonly string[] | null;
  /** Matched against the name that the kernel shows; null means the process's first thread. */
  readonly name: RegExp | null;
  readonly role: ThreadRole;
  /** The evidence, and the limits of what is known. */
  readonly evidence: string;
}

interface SeenThread {
  readonly pid: number;
  readonly tid: number;
  readonly process: string;
  readonly name: string;
}

/**
 * The table; the first row that matches wins. "Seen" means: on Debian 12 with 2 cores, in
 * Chromium 156, Firefox ESR 153 and WebKitGTK 2.50, while a page ran an asynchronous recursion on
 * its main thread and in a worker for 15 s, with the times of all threads read 3 s apart.
 */
export const roleTable: readonly RoleRow[] = [
  {
    engine: 'chromium',
    processes: ['renderer'],
    name: null,
    role: 'js-main',
    evidence:
      'Seen: 3.0 s of 3 s while the page ran JavaScript on its main thread, 0.0 s while only its worker did. Layout and painting of the page run on it too.',
  },
  {
    engine: 'chromium',
    processes: ['renderer'],
    name: /^CrRendererMain/,
    role: 'js-main',
    evidence:
      'So Chromium names the main thread of a renderer on Android, where the first thread of the process is Java’s own and waits. From its sources; not seen by us, no phone was at hand.',
  },
  {
    engine: 'chromium',
    processes: ['renderer'],
    name: /^DedicatedWorker/,
    role: 'js-worker',
    evidence: 'Seen: 3.0 s of 3 s while the worker ran; absent without a worker.',
  },
  {
    engine: 'chromium',
    processes: ['renderer'],
    name: /^ThreadPoolForeg/,
    role: 'gc',
    evidence:
      'One pool serves the parallel collector and the concurrent compilers, so the name alone does not tell them apart. Seen with asyncFib(25), both calls pending: 2.0 s of 3 s over three threads; 2.2 s without concurrent recompilation and 1.5 s with --jitless, so it is the collector; --single-threaded-gc leaves one such thread, which runs only while the main thread waits. Nothing was seen for syncFib. Known limit: a page that keeps making new hot functions showed 1.4 s of 3 s here, which --no-concurrent-recompilation took to 0.06 s. Timed windows follow the warm-up, when compiling is over; where that is in doubt, those two flags are the counterfactual.',
  },
  {
    engine: 'chromium',
    processes: null,
    name: /^(Compositor|VizCompositorTh)/,
    role: 'compositor',
    evidence: 'Named so by Chromium; seen in renderers and in the GPU process, under 2 ms of 3 s.',
  },
  {
    engine: 'chromium',
    processes: null,
    name: /^(Chrome_IOThread|Chrome_ChildIOT|CacheThread_Blo)/,
    role: 'io',
    evidence:
      'Named so by Chromium; seen with 18–25 ms of 3 s when the page logged to the console, and under 3 ms otherwise.',
  },
  {
    engine: 'firefox',
    processes: ['content'],
    name: null,
    role: 'js-main',
    evidence:
      'Seen: 2.9 s of 3 s ("Isolated Web Co") while the page ran JavaScript on its main thread. Collections that are not parallel run on it too.',
  },
  {
    engine: 'firefox',
    processes: ['content'],
    name: /^Gecko$/,
    role: 'js-main',
    evidence:
      'So GeckoView names the thread that runs Gecko on Android, where the first thread of the process is Java’s own. From its sources; not seen by us, no phone was at hand.',
  },
  {
    engine: 'firefox',
    processes: ['content'],
    name: /^DOM Worker/,
    role: 'js-worker',
    evidence:
      'Seen: 2.9 s of 3 s while the worker ran. Threads of this name in the browser process are Firefox’s own and stay "other".',
  },
  {
    engine: 'firefox',
    processes: null,
    name: /^(TaskCon~ller|TaskController|JS Helper)/,
    role: 'other',
    evidence:
      'One pool serves the collector, the compilers and other tasks. Seen: 0.15 s of 3 s for asyncFib(24) and 0.06 s for a page that compiles; switching parallel marking or off-thread compiling off by preference left 0.11 s and 0.03 s, so neither is its only user and no role can be given.',
  },
  {
    engine: 'firefox',
    processes: null,
    name: /^(Compositor|Renderer$|WRWorker|WRScene|WRRende|WrGlyph|SwComposite|Softwar~cThread)/,
    role: 'compositor',
    evidence:
      'Named so by Firefox (WebRender and its software vsync); seen idle in the browser process.',
  },
  {
    engine: 'firefox',
    processes: null,
    name: /^(IPC I\/O|Socket Thread|Cache2 I\/O|DNS Res|StreamTrans|QuotaManager IO|IndexedDB IO|BgIOThr~Pool)/,
    role: 'io',
    evidence: 'Named so by Firefox; seen with up to 1.3 ms of 3 s.',
  },
  {
    engine: 'webkit',
    processes: ['web'],
    name: null,
    role: 'js-main',
    evidence:
      'Seen: 2.9 s of 3 s while the page ran JavaScript on its main thread. A second thread inherits the process’s name and was seen with 4 ms; only the first thread is meant.',
  },
  {
    engine: 'webkit',
    processes: ['web'],
    name: /^WebCore: Worker/,
    role: 'js-worker',
    evidence: 'Seen: 2.9 s of 3 s while the worker ran.',
  },
  {
    engine: 'webkit',
    processes: ['web'],
    name: /^(HeapHelper|ollector Thread)/,
    role: 'gc',
    evidence:
      'Seen: HeapHelper 0.10 s of 3 s for asyncFib(25), gone with JSC_numberOfGCMarkers=1. "ollector Thread" is what is left of "JSC Heap Collector Thread" (WebKitGTK cuts names from the left); it was not seen at work.',
  },
  {
    engine: 'webkit',
    processes: ['web'],
    name: /^JITWorker/,
    role: 'jit',
    evidence:
      'Seen: 1.4 s of 3 s for a page that keeps making new hot functions, gone with JSC_useConcurrentJIT=0.',
  },
  {
    engine: 'webkit',
    processes: null,
    name: /^(eadedCompositor|Core: Scrolling|SkiaGPUWorker|SkiaCPUWorker|llvmpipe-|VBlankMonitor)/,
    role: 'compositor',
    evidence:
      'Names of WebKitGTK’s threaded compositor, its painters and Mesa’s software renderer; seen idle.',
  },
  {
    engine: 'webkit',
    processes: null,
    name: /^(ReceiveQueue|AsyncFileStream)/,
    role: 'io',
    evidence: 'Names of WebKit’s message and file queues; seen idle.',
  },
  ...runtimeRoles,
];

/**
 * Returns the role of a thread by the table; `other` for a thread without a row, which stays visible by
 * its name.
 */
export function roleOf(engine: Engine | null, thread: SeenThread): ThreadRole {
  // What the farm itself has put beside a runtime (`harness/session/confinement.ts`).
  if (thread.process.startsWith('crossfarm-')) return 'other';
  const row = roleTable.find(
    (candidate) =>
      candidate.engine === engine &&
      (candidate.processes === null || candidate.processes.includes(thread.process)) &&
      (candidate.name === null
        ? thread.pid === thread.tid
        : thread.pid !== thread.tid && candidate.name.test(thread.name)),
  );
  return row?.role ?? 'other';
}
