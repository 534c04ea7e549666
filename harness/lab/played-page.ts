import { createContext, runInContext, type Context } from 'node:vm';
import type { FakeAssignment, FakeScript } from '../../drivers/fake/fake.ts';
import type { SeededGenerator } from '../core/analysis/stats/random.ts';
import { type PageNumbers, pagesWith } from '../testing/fake-pages.ts';

/** Milliseconds by which one look at a played clock has it go on, and the steps in which it shows them. */
const tickMs = 0.005;
const stepMs = 0.01;

/** Other programs take a core: chance of it in each millisecond, and its mean length. */
const preemption = { chance: 0.01, ms: 2 };

/** Milliseconds. */
const latency = { message: 0.1, scatter: 0.2, worker: 5 };

/** A thread of a page with its own clock, which goes on while its code looks at it. */
interface Thread {
  now: number;
  context: Context;
}

interface Task {
  readonly at: number;
  readonly thread: Thread;
  readonly run: () => void;
}

type Handler = ((event: { readonly data: unknown }) => void) | null;

/**
 * Plays pages of the page server: their scripts are really run, on threads whose clocks are played, so that
 * a machine without a free core sees the same as any other. It knows the few things that a page of tasks
 * needs: marks and measures, timers, workers, channels.
 */
export function playedPages(generator: SeededGenerator): NonNullable<FakeScript['trial']> {
  return ({ url }) => {
    let numbers: PageNumbers = {};
    const work = async ({ guest }: FakeAssignment): Promise<void> => {
      const readers = [
        ...(guest?.metrics ?? []).map(({ reader }) => reader),
        ...(guest?.discover ?? []),
      ];
      const machine = new PlayedMachine(generator, url);
      await machine.open();
      const entries = machine.measures.map(({ name, duration }): [string, number] => [
        `measure:${name}`,
        duration,
      ]);
      const asked = readers.flatMap(({ expression }) => expression ?? []);
      const found: [string, number | readonly number[]][] = [...entries];
      for (const one of new Set(asked)) {
        found.push([one, (await machine.evaluate(one)) as number | readonly number[]]);
      }
      numbers = Object.fromEntries(found);
    };
    return { ...pagesWith(() => numbers), work };
  };
}

class PlayedMachine {
  readonly measures: { entryType: string; name: string; startTime: number; duration: number }[] =
    [];
  readonly #generator: SeededGenerator;
  readonly #url: string;
  readonly #tasks: Task[] = [];
  readonly #channels: { name: string; thread: Thread; channel: { onmessage: Handler } }[] = [];
  readonly #files = new Map<string, string>();
  #main: Thread | null = null;

  constructor(generator: SeededGenerator, url: string) {
    this.#generator = generator;
    this.#url = url;
  }

  /** Runs a page to its end. */
  async open(): Promise<void> {
    const text = await this.#read('index.html');
    for (const [, file = ''] of text.matchAll(/new Worker\('([^']+)'\)/g)) {
      this.#files.set(file, await this.#read(file));
    }
    const main = this.#startThread(0);
    this.#main = main;
    const top: unknown = runInContext('globalThis', main.context);
    Object.assign(main.context, { top, document: {}, Worker: this.#makeWorkers(main) });
    for (const [, attributes = '', script = ''] of text.matchAll(
      /<script([^>]*)>([^]*?)<\/script>/g,
    )) {
      const isModule = attributes.includes('module') && !/\bsrc=/.test(attributes);
      // The farm's own scripts look for what no played page has.
      if (!isModule && !script.startsWith('globalThis.crossfarmCall')) continue;
      const run = isModule ? `(async () => {${script}\n})()` : script;
      this.#tasks.push({
        at: main.now,
        thread: main,
        run: () => void runInContext(run, main.context),
      });
    }
    await this.#runTasks();
  }

  async evaluate(expression: string): Promise<unknown> {
    const main = this.#main;
    if (main === null) throw new TypeError('the page is not open');
    let given: unknown;
    const run = (): void => {
      given = runInContext(expression, main.context);
    };
    this.#tasks.push({ at: main.now, thread: main, run });
    await this.#runTasks();
    // Of another realm.
    return structuredClone(await given);
  }

  async #read(file: string): Promise<string> {
    const answer = await fetch(new URL(file, this.#url), { headers: { connection: 'close' } });
    return answer.text();
  }

  /** The task that can begin first is next, whichever thread it is for. */
  async #runTasks(): Promise<void> {
    for (;;) {
      const starts = this.#tasks.map(({ at, thread }) => Math.max(at, thread.now));
      const next = starts.indexOf(Math.min(...starts));
      const [task] = next === -1 ? [] : this.#tasks.splice(next, 1);
      if (task === undefined) return;
      task.thread.now = Math.max(task.at, task.thread.now);
      task.run();
      // Continuations of its promises belong to the task.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #send(to: Thread, from: Thread, run: () => void): void {
    const at = from.now + latency.message + latency.scatter * this.#exponential();
    this.#tasks.push({ at, thread: to, run });
  }

  #exponential(): number {
    return -Math.log(1 - this.#generator.uniform());
  }

  #look(thread: Thread): number {
    const isPreempted = this.#generator.uniform() < tickMs * preemption.chance;
    thread.now += tickMs + (isPreempted ? preemption.ms * this.#exponential() : 0);
    return Math.floor(thread.now / stepMs) * stepMs;
  }

  #startThread(now: number): Thread {
    const thread: Thread = { now, context: {} };
    const marks = new Map<string, number>();
    const head = { timed: [], entries: this.measures };
    const performance = {
      timeOrigin: 0,
      now: () => this.#look(thread),
      mark: (name: string) => marks.set(name, thread.now),
      measure: (name: string, from: string) => {
        const startTime = marks.get(from) ?? 0;
        this.measures.push({
          entryType: 'measure',
          name,
          startTime,
          duration: thread.now - startTime,
        });
      },
      getEntriesByName: () => [],
      getEntriesByType: () => [],
    };
    const channels = this.#channels;
    const send = this.#send.bind(this);
    class PlayedChannel {
      onmessage: Handler = null;
      readonly #name: string;
      constructor(name: string) {
        this.#name = name;
        channels.push({ name, thread, channel: this });
      }
      postMessage(data: unknown): void {
        for (const { name, thread: other, channel } of channels) {
          if (name !== this.#name || channel === this) continue;
          const copy = structuredClone(data);
          send(other, thread, () => channel.onmessage?.({ data: copy }));
        }
      }
    }
    thread.context = createContext({
      performance,
      crossfarmHead: head,
      BroadcastChannel: PlayedChannel,
      PerformanceObserver: { supportedEntryTypes: [] },
      queueMicrotask,
      setTimeout: (run: () => void, ms: number) => {
        this.#tasks.push({ at: thread.now + ms, thread, run });
      },
    });
    return thread;
  }

  #makeWorkers(main: Thread): unknown {
    const start = (): Thread => this.#startThread(main.now + latency.worker);
    const send = this.#send.bind(this);
    const tasks = this.#tasks;
    const files = this.#files;
    return class PlayedWorker {
      onmessage: Handler = null;
      readonly #thread: Thread;
      constructor(file: string) {
        const thread = start();
        this.#thread = thread;
        thread.context['postMessage'] = (data: unknown) => {
          send(main, thread, () => this.onmessage?.({ data }));
        };
        const text = files.get(file) ?? '';
        tasks.push({ at: thread.now, thread, run: () => void runInContext(text, thread.context) });
      }
      postMessage(data: unknown): void {
        const { context } = this.#thread;
        send(this.#thread, main, () => (context['onmessage'] as Handler)?.({ data }));
      }
    };
  }
}
