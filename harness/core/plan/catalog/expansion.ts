import { FarmError, unknownName } from '../../errors.ts';
import type { Benchmark, Case, Parameter, ParameterValue } from '../../model/case.ts';

/** Choice for each parameter, by a suite or `--param`: one value, several, or "20..24". */
export type Choices = Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;

const mostCases = 10_000;

/**
 * Every case that the choices span: the product of the values of all parameters, declared order,
 * defaults for those that were not chosen.
 * @throws FarmError `unknown-parameter`, or `bad-argument` for a value out of range.
 */
export function expandCases(benchmark: Benchmark, choices: Choices): readonly Case[] {
  const known = benchmark.parameters.map((parameter) => parameter.name);
  for (const seen of Object.keys(choices)) {
    if (!known.includes(seen)) {
      throw unknownName('unknown-parameter', {
        kind: `parameter of ${benchmark.id}`,
        seen,
        known,
      });
    }
  }
  return benchmark.parameters
    .reduce<readonly Record<string, ParameterValue>[]>(
      (partial, parameter) => {
        const values = valuesOf(benchmark, parameter, choices[parameter.name]);
        refuseTooMany(benchmark, partial.length * values.length);
        return partial.flatMap((sofar) =>
          values.map((value) => ({ ...sofar, [parameter.name]: value })),
        );
      },
      [{}],
    )
    .map((parameters) => ({ benchmark, parameters }));
}

function refuseTooMany(benchmark: Benchmark, count: number): void {
  if (count <= mostCases) return;
  throw new FarmError('bad-argument', {
    what: `The chosen parameters of ${benchmark.id} span more than ${String(mostCases)} cases.`,
    next: 'Choose fewer values.',
  });
}

function valuesOf(
  benchmark: Benchmark,
  parameter: Parameter,
  chosen: Choices[string] | undefined,
): readonly ParameterValue[] {
  if (chosen === undefined) return [parameter.default];
  const list = Array.isArray(chosen) ? (chosen as readonly ParameterValue[]) : [chosen];
  const values = (list as readonly ParameterValue[]).flatMap<ParameterValue>((one) =>
    parameter.kind === 'integer'
      ? integers(benchmark, parameter, one)
      : [choiceOf(benchmark, parameter, one)],
  );
  return [...new Set(values)];
}

type IntegerParameter = Extract<Parameter, { kind: 'integer' }>;
type ChoiceParameter = Extract<Parameter, { kind: 'choice' }>;

function integers(
  benchmark: Benchmark,
  parameter: IntegerParameter,
  value: ParameterValue,
): readonly number[] {
  const range = /^(-?\d+)(?:\.\.(-?\d+))?$/.exec(String(value));
  const low = Number(range?.[1] ?? NaN);
  const high = Number(range?.[2] ?? low);
  const fits = low >= parameter.minimum && high <= parameter.maximum && low <= high;
  if (!fits) {
    throw badValue(benchmark, parameter, {
      seen: value,
      wanted: `an integer from ${String(parameter.minimum)} to ${String(parameter.maximum)}, or a range such as ${String(parameter.minimum)}..${String(parameter.maximum)}`,
    });
  }
  refuseTooMany(benchmark, high - low + 1);
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}

function choiceOf(
  benchmark: Benchmark,
  parameter: ChoiceParameter,
  value: ParameterValue,
): ParameterValue {
  const found = parameter.values.find((one) => String(one) === String(value));
  if (found !== undefined) return found;
  throw badValue(benchmark, parameter, {
    seen: value,
    wanted: `one of ${parameter.values.map(String).join(', ')}`,
  });
}

function badValue(
  benchmark: Benchmark,
  parameter: Parameter,
  { seen, wanted }: { seen: ParameterValue; wanted: string },
): FarmError {
  return new FarmError('bad-argument', {
    what: `Parameter ${parameter.name} of ${benchmark.id} cannot be ${JSON.stringify(seen)}.`,
    next: `It is ${wanted}.`,
  });
}
