import { z } from 'zod';
import { builtInProbes } from '../../model/reading.ts';
import { declaredProbe, declaredReading } from '../../probes/declared-reading.ts';
import { count, id } from '../../results/fields.ts';

/** Schemas of what one trial left behind: every sample, and what the probes saw. */

const atMs = z.number().describe('Since the timed window began');
const costMs = z.number().describe('What the probe itself used');
const wallMs = z.number();
const nullable = z.number().nullable();
const name = z.string().describe('As the system has it: escape it');

export const samples = z.strictObject({
  trial: id,
  samples: z.array(
    z.strictObject({
      metric: z.string(),
      unit: z.string(),
      warmUp: z.array(z.number()).describe('Of one operation each, in order; they do not count'),
      timed: z.array(z.number()).describe('The iterations of the timed window, in order'),
    }),
  ),
});

/** One line of a table: a sample. */
export const sampleLine = z.strictObject({
  trial: id,
  metric: z.string(),
  unit: z.string(),
  phase: z.enum(['warm-up', 'timed']),
  iteration: count,
  value: z.number(),
});

const role = z.enum(['js-main', 'js-worker', 'gc', 'jit', 'compositor', 'io', 'other']);

const core = z.strictObject({
  probe: z.literal('cpu-core'),
  wallMs,
  intervalMs: z.number(),
  snapshots: z.array(
    z.strictObject({
      atMs,
      busyMs: z.array(z.number()).describe('Of each core since the window began'),
      stealMs: z.array(z.number()).describe('Taken by the hypervisor, of each core'),
    }),
  ),
  costMs,
});

const thread = z.strictObject({
  probe: z.literal('cpu-thread'),
  wallMs,
  threads: z.array(
    z.strictObject({
      pid: z.int(),
      tid: z.int(),
      process: name,
      name,
      role,
      cpuMs: z.number(),
      lastCore: nullable,
    }),
  ),
  timeline: z
    .array(z.strictObject({ atMs, cpuMs: z.partialRecord(role, z.number()) }))
    .describe('CPU time of every role since the window began'),
  costMs,
});

const environment = z.strictObject({
  probe: z.literal('environment'),
  load1: nullable,
  cpuPressure: nullable,
  freeMemoryBytes: nullable,
  governor: z.string().nullable(),
  frequencyMhz: nullable,
  foreignShare: nullable.describe('Of the CPU time: neither the session’s nor the farm’s, 0–1'),
  stealShare: nullable,
  throttleEvents: nullable,
  costMs,
  phone: z
    .strictObject({
      clockOffsetMs: z.number(),
      clockErrorMs: z.number(),
      batteryPercent: nullable,
      powered: z.boolean().nullable(),
      batteryCelsius: nullable,
      thermalStatus: nullable,
    })
    .optional(),
});

const schedule = z.strictObject({
  probe: z.literal('sched'),
  wallMs,
  costMs,
  coresBusy: z.number(),
  cores: z.array(
    z.array(
      z.strictObject({
        fromMs: z.number(),
        toMs: z.number(),
        role: z.enum([...role.options, 'foreign']),
        thread: name,
        tid: z.int(),
      }),
    ),
  ),
  lostEvents: count,
});

const trace = z.strictObject({
  probe: z.literal('trace'),
  file: z.string().describe('Relative to the folder of the database'),
  format: z.enum(['chrome-trace', 'firefox-profile']),
  costMs,
});

const notSupported = z.strictObject({
  probe: z.union([z.enum(builtInProbes), declaredProbe]),
  notSupported: z.string().describe('Why there is no reading'),
});

export const readings = z.strictObject({
  trial: id,
  readings: z.array(
    z.union([core, thread, environment, schedule, trace, declaredReading, notSupported]),
  ),
});
