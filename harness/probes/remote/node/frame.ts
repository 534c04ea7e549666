import type { SystemFiles } from '../../system-files.ts';
import { NodeUnreadable, type Answer } from './line.ts';

/** Small files of another machine, read at about one instant. */
export interface Frame {
  /** In the middle between question and answer, on this machine's `performance.now()`. */
  readonly atMs: number;
  /** The files were read within ± this. */
  readonly errorMs: number;
  /** Process that read them: what it costs is known from its own times. */
  readonly reader: number;
  readonly files: SystemFiles;
}

/** @throws NodeUnreadable when it is no answer to `files`. */
export function parseFrame({ text, sentMs, receivedMs }: Answer): Frame {
  const files = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, path, content] = /^(\/[^:]*):(.*)$/s.exec(line) ?? [];
    if (path === undefined || content === undefined) continue;
    files.set(path, `${files.get(path) ?? ''}${content}\n`);
  }
  const reader = Number(files.get('/self'));
  if (!Number.isInteger(reader)) {
    throw new NodeUnreadable('what answers does not speak as it should');
  }
  return {
    atMs: (sentMs + receivedMs) / 2,
    errorMs: (receivedMs - sentMs) / 2,
    reader,
    files: { read: (path) => files.get(path) ?? null, list: (path) => namesIn(files, path) },
  };
}

function namesIn(files: ReadonlyMap<string, string>, folder: string): readonly string[] {
  const prefix = `${folder}/`;
  const names = Array.from(files.keys(), (path) =>
    path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined,
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The one number of an answer such as `/ticks:100`. @throws NodeUnreadable */
export function parseNumber({ text }: Answer, name: string): number {
  const [, digits] = new RegExp(`^/${name}:(\\d{1,25})$`, 'm').exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new NodeUnreadable('what answers does not speak as it should');
}
