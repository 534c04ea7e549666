/** @import { Parameters, ParameterValue } from '../protocol.d.ts' */

/**
 * A parameter as `benchmark.json` declares it.
 * @typedef {{ kind: 'choice', name: string, values: readonly ParameterValue[], default: ParameterValue }
 *   | { kind: 'integer', name: string, minimum: number, maximum: number, default: number }} Parameter
 */

/**
 * The parameters of a page opened by hand: defaults, and what the query string says otherwise.
 *
 * @param {readonly Parameter[]} declared
 * @param {URLSearchParams} query
 * @returns {Parameters}
 * @throws {Error} with a sentence for the person.
 */
export function chooseParameters(declared, query) {
  const known = declared.map((parameter) => parameter.name);
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no parameter "${unknown}". Known: ${known.join(', ')}.`);
  }
  return Object.fromEntries(
    declared.map((parameter) => {
      const text = query.get(parameter.name);
      return [parameter.name, text === null ? parameter.default : parseValue(parameter, text)];
    }),
  );
}

/**
 * @param {Parameter} parameter
 * @param {string} text
 * @returns {ParameterValue}
 */
function parseValue(parameter, text) {
  if (parameter.kind === 'choice') {
    const value = parameter.values.find((one) => String(one) === text);
    if (value !== undefined) return value;
    throw new Error(
      `${parameter.name} cannot be "${text}": it is one of ${parameter.values.join(', ')}.`,
    );
  }
  const { name, minimum, maximum } = parameter;
  const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new Error(
    `${name} cannot be "${text}": it is an integer from ${String(minimum)} to ${String(maximum)}.`,
  );
}
