import type { Profile, ProfiledFunction, ProfiledThread } from './profile.ts';

/**
 * A profile as a trace of Chromium, which the Firefox Profiler, speedscope, Perfetto and Chromium's own
 * tools open. It holds each thread; times begin at 0. Format: "Trace Event Format", and V8's
 * `ProfileChunk`.
 */
export function toChromeTrace(profile: Profile): object {
  const { frames, functions, threads } = profile;
  const nodes = [
    { id: 1, callFrame: { functionName: '(root)', url: '', scriptId: '0', codeType: 'other' } },
    ...frames.map((frame, i) => ({
      id: i + 2,
      parent: (frame.parent ?? -1) + 2,
      callFrame: callFrameOf(functions[frame.function]),
    })),
  ];
  const ts = 1;
  return {
    traceEvents: threads.flatMap((thread, i) => {
      const cat = 'disabled-by-default-v8.cpu_profiler';
      const common = { pid: 1, tid: i + 1, ts, id: `0x${(i + 1).toString(16)}` };
      const cpuProfile = { nodes, samples: thread.stacks.map((one) => one + 2) };
      const data = { cpuProfile, timeDeltas: deltasOf(thread) };
      const args = { name: thread.name };
      return [
        { ...common, ph: 'M', cat: '__metadata', name: 'thread_name', args },
        { ...common, ph: 'P', cat, name: 'Profile', args: { data: { startTime: ts } } },
        { ...common, ph: 'P', cat, name: 'ProfileChunk', args: { data } },
      ];
    }),
  };
}

function callFrameOf(one: ProfiledFunction | undefined): object {
  const { name = '', url = '', line = 0, column = 0 } = one ?? {};
  const place = { lineNumber: line - 1, columnNumber: column - 1 };
  return {
    functionName: name,
    url,
    scriptId: '0',
    ...place,
    codeType: url === '' ? 'other' : 'JS',
  };
}

/** In microseconds: how long before each sample the former one was. */
function deltasOf({ weightsMs }: ProfiledThread): readonly number[] {
  return weightsMs.map((_, i) => Math.round((weightsMs[i - 1] ?? 0) * 1000));
}

/** A profile in the form of https://www.speedscope.app/file-format-schema.json. */
export function toSpeedscope(profile: Profile, name: string): object {
  const { functions, frames, threads } = profile;
  const pathOf = (stack: number): readonly number[] => {
    const path: number[] = [];
    for (let one: number | null = stack; one !== null; one = frames[one]?.parent ?? null) {
      path.push(frames[one]?.function ?? 0);
    }
    return path.reverse();
  };
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'crossfarm',
    shared: {
      frames: functions.map(({ name: called, url, line, column }) => ({
        name: called,
        ...(url !== '' && { file: url }),
        ...(line > 0 && { line, col: column }),
      })),
    },
    profiles: threads.map((thread) => ({
      type: 'sampled',
      name: thread.name,
      unit: 'milliseconds',
      startValue: 0,
      endValue: thread.weightsMs.reduce((sum, ms) => sum + ms, 0),
      samples: thread.stacks.map(pathOf),
      weights: thread.weightsMs,
    })),
  };
}
