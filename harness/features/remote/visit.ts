import { z } from 'zod';
import { FarmError } from '../../core/errors.ts';
import { text } from '../../core/model/bounded-value.ts';
import { type Benchmark, type Case, caseName } from '../../core/model/case.ts';
import { believable } from '../../core/model/credible.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { Machine, RunRecord } from '../../core/model/run.ts';
import type { Trial } from '../../core/model/trial.ts';
import { expandCases } from '../../core/plan/catalog/expansion.ts';
import { parameterArguments } from '../../core/app/run/repeat-command.ts';
import { ownTrialResult } from '../../core/server/messages.ts';
import { presenceOf } from './attended-devices.ts';
import { deviceName } from './join/join-routes.ts';

/** What a visitor measured on a page of this server, and wants to be stored: hostile until parsed. */

const parameters = z
  .record(z.string().max(60), z.union([text(100), z.number(), z.boolean()]))
  .refine((all) => Object.keys(all).length <= 20, { message: 'must be 20 at most' });

const dayMs = 86_400_000;

/** All that a visit holds. One that the visitor did not consent to is refused. */
export const visitForm = z.strictObject({
  consent: z.literal(true),
  name: deviceName,
  benchmark: text(100),
  trials: z
    .array(
      z.strictObject({
        parameters,
        /** How long ago the trial began, in milliseconds. */
        agoMs: z.number().min(0).max(dayMs),
        wallMs: z.number().min(0).max(dayMs),
        result: ownTrialResult,
      }),
    )
    .min(1)
    .max(600),
});

export type Visit = z.infer<typeof visitForm>;

interface VisitPlace {
  readonly benchmark: Benchmark;
  /** Of the request; a claim, as everything of a visitor. */
  readonly userAgent: string;
  /** Of the farm that stores it. */
  readonly machine: Machine;
  readonly farmVersion: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Makes a run of an attended device from a visit. A result that no clock gives becomes a failed trial.
 * @throws FarmError `bad-argument` or `unknown-parameter` where the benchmark has no such case or metric.
 */
export function makeVisitRecord(
  { name, trials: measured }: Visit,
  { benchmark, userAgent, machine, farmVersion, now }: VisitPlace,
): RunRecord {
  const presence = presenceOf({ name: `Visitor: ${name}`, userAgent }, []);
  const { device, target } = presence;
  const blocks = new Map<string, number>();
  const trials = measured.map((one, ordinal): Trial => {
    const chosen = findCase(benchmark, one.parameters);
    requireDeclared(benchmark, one.result.samples);
    // A case that was measured twice is a block further on.
    const block = blocks.get(caseName(chosen)) ?? 0;
    blocks.set(caseName(chosen), block + 1);
    const sessionKey = `${device.id} ${String(block)}`;
    return believable({
      job: { ordinal, block, case: chosen, deviceId: device.id, sessionKey },
      outcome: { kind: 'completed', result: one.result, readings: [], quarantine: [] },
      browser: target.browser,
      failedAttempts: [],
      startedAt: new Date(now - one.agoMs).toISOString(),
      wallMs: Math.round(one.wallMs),
    });
  });
  const first = Math.max(...measured.map(({ agoMs }) => agoMs));
  return {
    run: {
      id: 1,
      suite: 'visitor',
      seed: 0,
      isolation: 'page',
      command: repeatVisit(trials.map(({ job }) => job.case)),
      farmVersion,
      machine,
      status: 'finished',
      startedAt: new Date(now - first).toISOString(),
      finishedAt: new Date(now).toISOString(),
    },
    presences: [presence],
    jobs: trials.map(({ job }) => job),
    trials,
  };
}

function findCase(benchmark: Benchmark, parameters: Visit['trials'][number]['parameters']): Case {
  const [chosen, ...others] = expandCases(benchmark, parameters);
  const names = benchmark.parameters.map((one) => one.name);
  const missing = names.filter((one) => !Object.hasOwn(parameters, one));
  if (chosen !== undefined && others.length === 0 && missing.length === 0) return chosen;
  throw new FarmError('bad-argument', {
    what: `A trial of ${benchmark.id} names ${names.join(', ')}, each with one value.`,
    next: 'Reload the page.',
  });
}

function requireDeclared(
  { id, metrics }: Benchmark,
  samples: readonly { readonly metric: string; readonly unit: string }[],
): void {
  if (samples.every(({ metric, unit }) => metrics.some((m) => m.id === metric && m.unit === unit)))
    return;
  throw new FarmError('bad-argument', {
    what: `A trial has a metric that ${id} does not declare.`,
    next: 'Reload the page.',
  });
}

/** The command that measures the same cases on a device that joins. */
function repeatVisit(cases: readonly Case[]): string {
  const [{ benchmark } = { benchmark: undefined }] = cases;
  if (benchmark === undefined) throw new TypeError('a visit has no trial');
  const choices = Object.fromEntries(
    benchmark.parameters.map(({ name }) => [
      name,
      [...new Set(cases.flatMap(({ parameters: { [name]: value } }) => value ?? []))],
    ]),
  );
  const parameterWords = parameterArguments(choices);
  return [`${npxCrossfarm} devices attend --bench ${benchmark.id}`, ...parameterWords].join(' ');
}
