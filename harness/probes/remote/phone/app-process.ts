import type { Engine } from '../../processes.ts';

/**
 * What kind of process of an Android app it is, in the words that its engine has for it on a desktop
 * (`processName`). Android names a process of an app `<app>:<kind><number>…`, its first one `<app>`.
 * Chromium's kinds are `sandboxed_process` (renderers, and now and then a utility) and
 * `privileged_process` (the GPU's); GeckoView's are `tab`, `isolatedTab`, `gpu`, `socket`, `utility`, …
 */
export function appProcess(engine: Engine | null, app: string, name: string): string {
  if (name === app) return 'browser';
  const kind = /^([A-Za-z_]+)/.exec(name.slice(app.length + 1))?.[1] ?? 'unknown';
  if (engine === 'chromium') return chromiumKinds[kind] ?? kind;
  if (engine === 'firefox') return /tab$/i.test(kind) ? 'content' : kind;
  return kind;
}

const chromiumKinds: Readonly<Record<string, string>> = {
  sandboxed_process: 'renderer',
  privileged_process: 'gpu',
};
