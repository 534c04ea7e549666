import { createHash } from 'node:crypto';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isCharacter, namedKeys } from '../../../drivers/driver.ts';
import { errorText, FarmError } from '../../errors.ts';
import { describeIssue, readJsonFile } from '../../json-file.ts';
import type { InputStep } from '../../model/case.ts';
import type { NamedInput } from './conditions.ts';

const selector = z.string().min(1).max(1000);

/** A space has a name, so that a reader sees it. */
const names: readonly string[] = [...namedKeys, 'Space'];

const key = z.string().refine((name) => isCharacter(name) || names.some((one) => one === name), {
  error: `no key is called so; there are all characters, and ${names.join(', ')}`,
});

const steps: z.ZodType<readonly InputStep[]> = z
  .array(
    z.union([
      z.strictObject({ click: selector }),
      z.strictObject({ type: z.string().min(1).max(1000), into: selector.optional() }),
      z.strictObject({ press: key }),
      z.strictObject({ scroll: z.number().min(-100_000).max(100_000) }),
      z.strictObject({ waitFor: selector }),
      z.strictObject({ wait: z.number().min(0).max(60_000) }),
    ]),
  )
  .min(1)
  .max(200);

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

async function fromModule(path: string): Promise<readonly InputStep[]> {
  const refuse = (what: string): FarmError =>
    new FarmError('bad-argument', {
      what: `The steps of ${path} cannot be read: ${what}.`,
      next: 'Its default export is a list such as [{ click: "#go" }, { type: "text", into: "input" }].',
    });
  const loaded: unknown = await import(pathToFileURL(resolve(path)).href).catch(
    (error: unknown) => {
      throw refuse(errorText(error));
    },
  );
  const checked = steps.safeParse((loaded as { default?: unknown }).default);
  if (checked.success) return checked.data;
  throw refuse(checked.error.issues.slice(0, 5).map(describeIssue).join('; '));
}
