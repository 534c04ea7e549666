import { z } from 'zod';
import {
  declaredProbe,
  declaredReading,
  type DeclaredContent,
  type DeclaredReading,
} from '../model/reading.ts';
import type { AttachedProbe, Probe, RegisteredProbe, Support, WatchedSession } from './probe.ts';

/** A value that a probe gives for a trial: how it is shown, and what it may be. */
export interface ValueDeclaration {
  /** For reports: "Speed of the fan". */
  readonly title: string;
  /** Of the stored number, as reports write it; null without one. */
  readonly unit: string | null;
  readonly schema: z.ZodType<DeclaredContent>;
}

type Declarations = Readonly<Record<string, ValueDeclaration>>;

/** The values of one trial, with the types of their schemas. */
type ValuesOf<D extends Declarations> = {
  readonly [Name in keyof D]: z.infer<D[Name]['schema']>;
};

/** An observer of one trial, by the rules of `AttachedProbe`. */
export interface ValueWatch<D extends Declarations> extends Omit<AttachedProbe, 'collect'> {
  collect(): { readonly values: ValuesOf<D>; readonly costMs: number };
}

export interface ProbeDeclaration<D extends Declarations> {
  /** Lower-case letters, digits and "-". */
  readonly name: string;
  /** Its reading in two words, for the help of `--probe`; left out for a probe that watches every trial. */
  readonly onRequest?: string;
  readonly values: D;
  supports(): Support;
  attach(session: WatchedSession): ValueWatch<D>;
}

/**
 * Makes a probe of a declaration. Its readings carry titles and units, so the store, bundles,
 * exports, the API and reports take them without knowing the probe.
 * @throws ZodError for a name that is not allowed.
 */
export function declareProbe<D extends Declarations>(
  declaration: ProbeDeclaration<D>,
): RegisteredProbe {
  const { onRequest } = declaration;
  const name = declaredProbe.parse(declaration.name);
  const schemas = Object.entries(declaration.values).map(([key, one]) => [key, one.schema]);
  const schema = z.strictObject(Object.fromEntries(schemas) as Record<string, z.ZodType>);
  const readingOf = (values: ValuesOf<D>, costMs: number): DeclaredReading =>
    declaredReading.parse({
      probe: name,
      values: Object.fromEntries(
        Object.entries(schema.parse(values)).map(([key, value]) => [
          key,
          { title: declaration.values[key]?.title, unit: declaration.values[key]?.unit, value },
        ]),
      ),
      costMs,
    });
  const create = (): Probe => ({
    name,
    supports: () => declaration.supports(),
    attach: (session) => {
      const watch = declaration.attach(session);
      return {
        start: () => {
          watch.start();
        },
        stop: () => {
          watch.stop();
        },
        arrived: async () => watch.arrived?.(),
        collect: () => {
          const { values, costMs } = watch.collect();
          return readingOf(values, costMs);
        },
        detach: () => {
          watch.detach();
        },
      };
    },
  });
  return onRequest === undefined ? { name, create } : { name, create, onRequest };
}
