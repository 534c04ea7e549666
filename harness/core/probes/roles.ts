import type { ThreadRole } from '../model/reading.ts';
import type { Engine } from './processes.ts';
import { type RoleRow, runtimeRoles } from './runtime-roles.ts';

interface SeenThread {
  readonly pid: number;
  readonly tid: number;
  readonly process: string;
  readonly name: string;
}

/**
 * A renderer of QtWebEngine 6.11 keeps the command line of the zygote that it was forked from, and a
 * zygote itself has no work.
 */
const renderers = ['renderer', 'zygote'];

/**
 * The table; the first row that matches wins. "Seen" means: on Debian 12 with 2 cores, in
 * Chromium 156, Firefox ESR 153 and WebKitGTK 2.50, while a page ran an asynchronous recursion on
 * its main thread and in a worker for 15 s, with the times of all threads read 3 s apart.
 */
export const roleTable: readonly RoleRow[] = [
  {
    engine: 'chromium',
    processes: renderers,
    name: null,
    role: 'js-main',
    evidence:
      'Seen: 3.0 s of 3 s while the page ran JavaScript on its main thread, 0.0 s while only its worker did. Layout and painting of the page run on it too.',
  },
  {
    engine: 'chromium',
    processes: renderers,
    name: /^CrRendererMain/,
    role: 'js-main',
    evidence:
      'So Chromium names the main thread of a renderer on Android, where the first thread of the process is Java’s own and waits. From its sources; not seen by us, no such device was at hand.',
  },
  {
    engine: 'chromium',
    processes: renderers,
    name: /^DedicatedWorker/,
    role: 'js-worker',
    evidence: 'Seen: 3.0 s of 3 s while the worker ran; absent without a worker.',
  },
  {
    engine: 'chromium',
    processes: renderers,
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
      'So GeckoView names the thread that runs Gecko on Android, where the first thread of the process is Java’s own. From its sources; not seen by us, no such device was at hand.',
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
export function findRole(engine: Engine | null, thread: SeenThread): ThreadRole {
  // A helper of the farm next to a runtime (`harness/core/session/confinement.ts`).
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
