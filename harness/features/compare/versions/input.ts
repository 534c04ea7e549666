import { createHash, randomBytes } from 'node:crypto';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isCharacter, namedKeys } from '../../../../drivers/driver.ts';
import { FarmError } from '../../../core/errors.ts';
import { describeIssue, readJsonFile } from '../../../core/json-file.ts';
import type { InputStep } from '../../../core/model/case.ts';
import { askProgram, type ProgramAnswer } from '../../../core/setup/ask-program.ts';
import type { NamedInput } from './conditions.ts';

const selector = z.string().min(1).max(1000);

/** A space has a name, so that a reader sees it. */
const names: readonly string[] = [...namedKeys, 'Space'];

const key = z.string().refine((name) => isCharacter(name) || names.some((one) => one === name), {
  error: `no key is called so; there are all characters, and ${names.join(', ')}`,
});

/** The name of a row in the table. */
const name = z.string().min(1).max(80).optional();

const repeat = z.number().int().min(1).max(100).optional();

/** Steps of one trial, each repeated one counted as often as it is done. */
const mostSteps = 500;

const oneStep = z.union([
  z.strictObject({ click: selector, name, repeat }),
  z.strictObject({ type: z.string().min(1).max(1000), into: selector.optional() }),
  z.strictObject({ press: key, name, repeat }),
  z.strictObject({ scroll: z.number().min(-100_000).max(100_000) }),
  z.strictObject({ waitFor: selector }),
  z.strictObject({ wait: z.number().min(0).max(60_000) }),
]);

const steps: z.ZodType<readonly InputStep[]> = z
  .array(z.union([oneStep, z.strictObject({ repeat, steps: z.array(oneStep).min(1).max(200) })]))
  .min(1)
  .max(200)
  .transform((list) => list.flatMap(repeated))
  .refine((list) => list.length <= mostSteps, {
    error: `a trial has at most ${String(mostSteps)} steps, repeated ones included`,
  });

type OneStep = z.infer<typeof oneStep>;

/** A step, or a list of steps, as often as it says. */
function repeated(
  step: OneStep | { readonly repeat?: number | undefined; readonly steps: readonly OneStep[] },
): readonly InputStep[] {
  if ('steps' in step) {
    const once = step.steps.flatMap(repeated);
    return Array.from({ length: step.repeat ?? 1 }, () => once).flat();
  }
  if (!('repeat' in step)) return [step];
  const { repeat: times = 1, ...one } = step;
  return Array.from({ length: times }, () => one);
}

/**
 * Reads the steps of a list in a JSON file, or of the default export of a module.
 * @throws FarmError `bad-argument` with the place of the mistake.
 */
export async function readInput(path: string): Promise<NamedInput> {
  const list = /^\.[cm]?js$/.test(extname(path))
    ? await fromModule(path)
    : await readJsonFile(path, { noun: 'list of steps', code: 'bad-argument', schema: steps });
  const sum = createHash('sha256').update(JSON.stringify(list)).digest('hex');
  // Another list under the same name is another series.
  return { name: `${basename(path)} ${sum.slice(0, 8)}`, steps: list };
}

/** Prints the default export of a module as JSON. */
const printDefault = `
  const [url, mark] = process.argv.slice(1);
  const { default: list = null } = await import(url);
  process.stdout.write(mark + (JSON.stringify(list) ?? 'null') + mark, () => process.exit(0));
`;

/** The line of a Node.js that failed that names the error. */
function reasonIn({ stderr, why }: ProgramAnswer): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  return (lines.find((line) => /^\w*Error\b/.test(line)) ?? why).slice(0, 300);
}

/**
 * Runs in a new process: a module is a program, and the farm's process has its secrets and files
 * open.
 */
async function fromModule(path: string): Promise<readonly InputStep[]> {
  const refuse = (what: string): FarmError =>
    new FarmError('bad-argument', {
      what: `The steps of ${path} cannot be read: ${what}.`,
      next: 'Its default export is a list such as [{ click: "#go" }, { type: "text", into: "input" }].',
    });
  // The module's own output comes before the mark, which it cannot know.
  const mark = randomBytes(16).toString('hex');
  const { href } = pathToFileURL(resolve(path));
  const args = ['--input-type=module', '--eval', printDefault, '--', href, mark];
  const answer = await askProgram(process.execPath, args, { timeoutMs: 30_000 });
  if (answer.failed) throw refuse(reasonIn(answer));
  const [, json] = answer.stdout.split(mark);
  if (json === undefined) throw refuse('it ends before it has exported them');
  const checked = steps.safeParse(JSON.parse(json));
  if (checked.success) return checked.data;
  throw refuse(checked.error.issues.slice(0, 5).map(describeIssue).join('; '));
}
