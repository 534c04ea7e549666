import type { SeededGenerator } from '../core/analysis/stats/random.ts';

/** A function of a generated page, and the steps of work that it does in one operation. */
interface PageFunction {
  readonly name: string;
  readonly steps: number;
  /** Of a short function: how often one operation calls it, and which function does. */
  readonly calls?: number;
  readonly caller?: string;
}

/** Functions of a page, in random order of size: two thirds long ones, one third so short that engines inline them. */
export type PageFunctions = readonly PageFunction[];

/** Work that is added to one function, in shares of the whole operation. */
export interface AddedWork {
  readonly name: string;
  readonly share: number;
}

const longFunctions = 36;
const shortFunctions = 18;

/** An operation takes some 50 ms: a step is a multiplication that waits for the one before it. */
const stepsOfOperation = 24_000_000;

/** How often an operation calls each long function. */
const rounds = 20;

/** Draws the functions of a page. */
export function drawFunctions(generator: SeededGenerator): PageFunctions {
  const short = Array.from({ length: shortFunctions }, (_, index): PageFunction => {
    const calls = Math.round((stepsOfOperation * (0.004 + 0.006 * generator.uniform())) / 2);
    return {
      name: `short${String(index)}`,
      steps: 2 * calls,
      calls,
      caller: `long${String(index)}`,
    };
  });
  const left = stepsOfOperation - short.reduce((sum, { steps }) => sum + steps, 0);
  const weights = Array.from({ length: longFunctions }, () => 0.3 + generator.uniform() ** 2);
  const whole = weights.reduce((sum, one) => sum + one, 0);
  const long = weights.map((weight, index): PageFunction => ({
    name: `long${String(index)}`,
    steps: Math.round((left * weight) / whole),
  }));
  return [...long, ...short];
}

/** Writes a page that times one operation as `work`, after two that warm it up. */
export function writePage(functions: PageFunctions, title: string, added?: AddedWork): string {
  const step = 'x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);';
  const extraSteps = ({ name }: PageFunction): number =>
    added?.name === name ? added.share * stepsOfOperation : 0;
  const short = functions.filter(({ calls }) => calls !== undefined);
  const long = functions.filter(({ calls }) => calls === undefined);
  const defineShort = (one: PageFunction): string => {
    const steps = 2 + Math.round(extraSteps(one) / (one.calls ?? 1));
    return `function ${one.name}(x) { ${step.repeat(steps)} return x; }`;
  };
  const defineLong = (one: PageFunction): string => {
    const own = Math.round((one.steps + extraSteps(one)) / rounds);
    const called = short
      .filter(({ caller }) => caller === one.name)
      .map(({ name, calls = 0 }) => {
        const times = String(Math.round(calls / rounds));
        return `for (let i = 0; i < ${times}; i++) x = ${name}(x + i);`;
      });
    return `function ${one.name}(x) { for (let i = 0; i < ${String(own)}; i++) { ${step} } ${called.join(' ')} return x; }`;
  };
  return `<!doctype html><html lang="en"><title>${title}</title><body><script>
${short.map(defineShort).join('\n')}
${long.map(defineLong).join('\n')}
function operate(x) { for (let round = 0; round < ${String(rounds)}; round++) { ${long.map(({ name }) => `x = ${name}(x);`).join(' ')} } return x; }
globalThis.result = operate(operate(1));
performance.mark('begin');
globalThis.result = operate(globalThis.result);
performance.measure('work', 'begin');
</script>
`;
}
