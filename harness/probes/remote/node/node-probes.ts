import type { Reading } from '../../../model/reading.ts';
import type { AttachedProbe, Probe } from '../../probe.ts';
import { NodeUnreadable } from './line.ts';
import { NodeRecorder, type RecorderOptions } from './node-recorder.ts';
import { coreReading, environmentReading, threadReading } from './node-readings.ts';
import type { NodeWindow } from './node-window.ts';

type NodeProbe = Extract<Probe['name'], 'environment' | 'cpu-thread' | 'cpu-core'>;

const readers: Readonly<Record<NodeProbe, (window: NodeWindow, browser: string) => Reading>> = {
  environment: environmentReading,
  'cpu-thread': threadReading,
  'cpu-core': coreReading,
};

/** The probes of one session on another machine. They share what is read there. */
export function nodeProbes(options: RecorderOptions): readonly Probe[] {
  // A page has one window, and a session may have several pages.
  let shared: { recorder: NodeRecorder; takers: Set<NodeProbe> } | null = null;
  const recorderFor = (name: NodeProbe): NodeRecorder => {
    if (shared === null || shared.takers.has(name)) {
      shared = { recorder: new NodeRecorder(options), takers: new Set() };
    }
    shared.takers.add(name);
    return shared.recorder;
  };
  const names = Object.keys(readers) as NodeProbe[];
  return names.map((name) => ({
    name,
    supports: () => ({ supported: true }),
    attach: ({ browser }) => attach(recorderFor(name), { name, browser }),
  }));
}

interface Attachment {
  readonly name: NodeProbe;
  readonly browser: string;
}

function attach(recorder: NodeRecorder, { name, browser }: Attachment): AttachedProbe {
  let reading: Reading | null = null;
  recorder.attach();
  return {
    start: () => {
      recorder.start();
    },
    stop: () => {
      recorder.stop();
    },
    arrived: async () => {
      reading = await readingOf(recorder, { name, browser });
    },
    collect: () => {
      if (reading === null) throw new Error(`${name}: collect() comes after arrived()`);
      return reading;
    },
    detach: () => {
      recorder.detach();
    },
  };
}

/** A machine that cannot be read any more spoils no trial: its page was timed all the same. */
async function readingOf(recorder: NodeRecorder, { name, browser }: Attachment): Promise<Reading> {
  try {
    return readers[name](await recorder.window(), browser);
  } catch (error) {
    if (error instanceof NodeUnreadable) return { probe: name, notSupported: error.message };
    throw error;
  }
}
