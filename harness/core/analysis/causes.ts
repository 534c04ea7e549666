import type { Device } from '../model/device.ts';

/** The change to a device that switches a suspected cause off. */
export interface Change {
  readonly flags?: readonly string[];
  readonly preferences?: Device['preferences'];
  readonly environment?: Device['environment'];
  /** How many cores the browser may run on. */
  readonly cores?: number;
}

/** A suspected cause that a launch flag, a preference or a setting can switch off. */
interface Cause {
  readonly id: string;
  /** By engine; other engines have no known switch. */
  readonly changes: Readonly<Partial<Record<EngineName, Change>>>;
}

/** An engine, or a runtime that takes the switches of its engine in another way. */
type EngineName = 'v8' | 'spidermonkey' | 'javascriptcore' | 'node' | 'deno' | 'bun';

/** Safari takes no switches, so it is missing. */
const engines: Readonly<Record<string, EngineName>> = {
  chromium: 'v8',
  chrome: 'v8',
  edge: 'v8',
  firefox: 'spidermonkey',
  webkit: 'javascriptcore',
  webkitgtk: 'javascriptcore',
  wpewebkit: 'javascriptcore',
  node: 'node',
  deno: 'deno',
  bun: 'bun',
};

/**
 * The causes that can be switched off. V8's switches are listed by `--v8-options`, JavaScriptCore's
 * in its OptionsList.h (read from the environment as JSC_<name>, by Bun as BUN_JSC_<name>), Firefox's
 * in about:config, and libuv's in its guide to the thread pool.
 */
export const causes: readonly Cause[] = [
  {
    id: 'parallel-gc',
    changes: {
      v8: { flags: ['--js-flags=--single-threaded-gc'] },
      spidermonkey: { preferences: { 'javascript.options.mem.gc_parallel_marking': false } },
      javascriptcore: { environment: { JSC_numberOfGCMarkers: '1', JSC_useConcurrentGC: '0' } },
      node: { flags: ['--single-threaded-gc'] },
      deno: { flags: ['--v8-flags=--single-threaded-gc'] },
      bun: { environment: { BUN_JSC_numberOfGCMarkers: '1', BUN_JSC_useConcurrentGC: '0' } },
    },
  },
  {
    id: 'concurrent-jit',
    changes: {
      v8: { flags: ['--js-flags=--no-concurrent-recompilation --no-concurrent-sparkplug'] },
      spidermonkey: {
        preferences: { 'javascript.options.ion.offthread_compilation': false },
      },
      javascriptcore: { environment: { JSC_useConcurrentJIT: '0' } },
      node: { flags: ['--no-concurrent-recompilation', '--no-concurrent-sparkplug'] },
      deno: { flags: ['--v8-flags=--no-concurrent-recompilation,--no-concurrent-sparkplug'] },
      bun: { environment: { BUN_JSC_useConcurrentJIT: '0' } },
    },
  },
  {
    id: 'optimizing-jit',
    changes: {
      v8: { flags: ['--js-flags=--no-opt --no-maglev'] },
      spidermonkey: { preferences: { 'javascript.options.ion': false } },
      javascriptcore: { environment: { JSC_useDFGJIT: '0', JSC_useFTLJIT: '0' } },
      node: { flags: ['--no-opt', '--no-maglev'] },
      deno: { flags: ['--v8-flags=--no-opt,--no-maglev'] },
      bun: { environment: { BUN_JSC_useDFGJIT: '0', BUN_JSC_useFTLJIT: '0' } },
    },
  },
  { id: 'thread-pool', changes: { node: { environment: { UV_THREADPOOL_SIZE: '1' } } } },
];

/** The change that switches a cause off on a device; null when no switch of its engine is known. */
export function changeFor(cause: Cause, device: Device): Change | null {
  const engine = engines[device.browser];
  return engine === undefined ? null : (cause.changes[engine] ?? null);
}

/** The change that pins a browser to a number of cores. */
export function coresChange(cores: number): Change {
  return { cores };
}

/**
 * Returns the device with the change, under another id and name: two targets of one run need two
 * ids.
 */
export function changedDevice(device: Device, suffix: string, change: Change): Device {
  return {
    ...device,
    id: `${device.id}@${suffix}`,
    name: `${device.name}, ${describeChange(change)}`,
    flags: [...device.flags, ...(change.flags ?? [])],
    preferences: { ...device.preferences, ...change.preferences },
    environment: { ...device.environment, ...change.environment },
    ...(change.cores === undefined ? {} : { cores: change.cores }),
  };
}

/** Describes a change as a user would type it. */
export function describeChange({ flags, preferences, environment, cores }: Change): string {
  const settings = (values: Readonly<Record<string, unknown>> = {}): string[] =>
    Object.entries(values).map(([name, value]) => `${name}=${String(value)}`);
  return [
    ...(flags ?? []),
    ...settings(preferences),
    ...settings(environment),
    ...(cores === undefined ? [] : [cores === 1 ? 'on 1 core' : `on ${String(cores)} cores`]),
  ].join(' ');
}
