import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { findEngine, processName, tellingWords, type Engine } from './processes.ts';
import { parseCmdline } from '../procfs.ts';
import { findRole, roleTable } from './roles.ts';

test.describe('the kind of a process', () => {
  const cases: readonly [Engine | null, readonly string[], string][] = [
    ['chromium', ['/usr/lib/chromium/chromium', '--headless'], 'browser'],
    ['chromium', ['/opt/google/chrome/chrome'], 'browser'],
    // Forked children overwrite their arguments with one text (Chromium 156).
    ['chromium', ['/usr/lib/chromium/chromium --type=gpu-process --no-sandbox'], 'gpu'],
    ['chromium', ['/x/chrome', '--type=zygote', '--no-zygote-sandbox'], 'zygote'],
    [
      'chromium',
      ['/x/chromium --type=utility --utility-sub-type=network.mojom.NetworkService'],
      'network',
    ],
    [
      'chromium',
      ['/x/chromium', '--type=utility', '--utility-sub-type=data_decoder.mojom.X'],
      'utility',
    ],
    ['chromium', ['/usr/bin/chromedriver', '--port=0'], 'chromedriver'],
    ['chromium', ['/x/chrome_crashpad_handler', '--monitor-self'], 'chrome_crashpad_handler'],
    ['firefox', ['firefox-esr', '--profile', '/tmp/p'], 'browser'],
    ['firefox', ['/usr/lib/firefox-esr/firefox-esr -contentproc -isForBrowser 5 tab'], 'content'],
    ['firefox', ['/usr/lib/firefox-esr/firefox-esr', '-contentproc', '1', 'socket'], 'socket'],
    ['firefox', ['/usr/bin/geckodriver'], 'geckodriver'],
    ['webkit', ['/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser', '--automation'], 'browser'],
    ['webkit', ['/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/WebKitWebProcess', '4', '15'], 'web'],
    ['webkit', ['/x/WPENetworkProcess', '1'], 'network'],
    ['webkit', ['/x/WebKitGPUProcess', '1'], 'gpu'],
    [null, ['/usr/bin/node', 'x.js'], 'node'],
    ['node', ['/usr/bin/node', 'x.js'], 'node'],
    ['bun', ['/x/bin/bun.exe', 'x.js'], 'bun.exe'],
    ['jsc', ['/usr/bin/jsc', '-m', 'shell.js'], 'jsc'],
    ['spidermonkey', ['/usr/bin/js102', '-m', 'shell.js'], 'js102'],
    ['chakracore', ['/x/chakracore'], 'chakracore'],
    ['chromium', [], 'unknown'],
  ];
  for (const [engine, argv, name] of cases) {
    test(`${engine ?? 'program'}: ${argv.join(' ').slice(0, 70)} is ${name}`, () => {
      expect(processName(engine, argv)).toBe(name);
      expect(processName(engine, tellingWords(argv))).toBe(name);
    });
  }

  test('is read from a renderer’s captured command line', () => {
    const file = new URL('../../testing/procfs/cmdline-chromium-renderer.bin', import.meta.url);
    expect(processName('chromium', parseCmdline(readFileSync(file, 'utf8')))).toBe('renderer');
  });

  test('depends on the engine, which every product but a program has', () => {
    expect(['chromium', 'chrome', 'edge'].map(findEngine)).toEqual(Array(3).fill('chromium'));
    expect(['firefox', 'webkit', 'webkitgtk'].map(findEngine)).toEqual([
      'firefox',
      'webkit',
      'webkit',
    ]);
    const own = ['node', 'deno', 'bun', 'jsc', 'spidermonkey', 'chakracore'];
    expect(own.map(findEngine)).toEqual(own);
    expect(findEngine('program')).toBeNull();
  });
});

test.describe('the role of a thread', () => {
  const role = (engine: Engine | null, process: string, name: string, first = false): string =>
    findRole(engine, { pid: 7, tid: first ? 7 : 8, process, name });

  test('names the first thread of a page process js-main under any name', () => {
    expect(role('chromium', 'renderer', 'chromium', true)).toBe('js-main');
    expect(role('firefox', 'content', 'Isolated Web Co', true)).toBe('js-main');
    expect(role('webkit', 'web', 'WebKitWebProces', true)).toBe('js-main');
  });

  test('is not js-main for a second such thread or another process', () => {
    expect(role('webkit', 'web', 'WebKitWebProces')).toBe('other');
    expect(role('chromium', 'browser', 'chromium', true)).toBe('other');
    expect(role('firefox', 'browser', 'firefox-esr', true)).toBe('other');
  });

  test('is js-worker for workers of pages, not for those of the browser itself', () => {
    expect(role('chromium', 'renderer', 'DedicatedWorker')).toBe('js-worker');
    expect(role('firefox', 'content', 'DOM Worker')).toBe('js-worker');
    expect(role('firefox', 'browser', 'DOM Worker')).toBe('other');
    expect(role('webkit', 'web', 'WebCore: Worker')).toBe('js-worker');
  });

  test("is a renderer's also where it keeps its zygote's command line", () => {
    const argv = ['/x/PyQt6/Qt6/libexec/QtWebEngineProcess', '--type=zygote', '--no-sandbox'];
    const process = processName('chromium', argv);
    const role = findRole('chromium', { pid: 7, tid: 9, process, name: 'DedicatedWorker' });
    expect(role).toBe('js-worker');
  });

  test('is gc only where a counterfactual showed it', () => {
    expect(role('chromium', 'renderer', 'ThreadPoolForeg')).toBe('gc');
    expect(role('chromium', 'browser', 'ThreadPoolForeg')).toBe('other');
    expect(role('firefox', 'content', 'TaskCon~ller #0')).toBe('other');
    expect(role('webkit', 'web', 'HeapHelper')).toBe('gc');
  });

  test('of a runtime is js-main for its first thread, and js-worker for its workers', () => {
    expect(role('node', 'node', 'MainThread', true)).toBe('js-main');
    expect(role('deno', 'deno', 'deno', true)).toBe('js-main');
    expect(role('bun', 'bun.exe', 'bun.exe', true)).toBe('js-main');
    expect(role('node', 'node', 'WorkerThread')).toBe('js-worker');
    expect(role('deno', 'deno', 'worker-1')).toBe('js-worker');
    expect(role('bun', 'bun.exe', 'Worker')).toBe('js-worker');
  });

  test('stays other for the threads that Node.js 20 gives one name', () => {
    expect(role('node', 'node', 'node')).toBe('other');
    expect(role('node', 'node', 'V8Worker')).toBe('gc');
    expect(role('node', 'node', 'libuv-worker')).toBe('io');
  });

  test('is other for names and engines that are not known', () => {
    expect(role('chromium', 'renderer', 'brand new thread')).toBe('other');
    expect(role(null, 'node', 'HeapHelper')).toBe('other');
  });

  test('every row has a sentence of evidence and hides no later one', () => {
    for (const row of roleTable) {
      expect(row.evidence).toMatch(/\.$/);
      expect(row.evidence.length).toBeGreaterThan(30);
      const key = [row.engine, row.processes, row.name].join();
      expect(
        roleTable.filter((other) => [other.engine, other.processes, other.name].join() === key),
      ).toHaveLength(1);
    }
  });
});
