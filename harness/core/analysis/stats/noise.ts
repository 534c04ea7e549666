import type { BlockPair } from './typical-ratio.ts';
import type { SeededGenerator } from './random.ts';

/** The kinds of noise under which the statistics are tested. */
export const noiseShapes = [
  'normal',
  'lognormal',
  'student',
  'bimodal',
  'autocorrelated',
  'drifting',
] as const;

export type NoiseShape = (typeof noiseShapes)[number];

/** ln of the factor by which the next time slot slows what runs in it. */
type SlotNoise = () => number;

/**
 * Simulates the noise of a machine, slot by slot, with a standard deviation of about `spread` (a
 * share).
 *
 * - `normal`: the time itself is normal.
 * - `lognormal`: mostly quick, with a long tail of slow slots (skewness 6).
 * - `student`: ln of the time is Student t with 2.5 degrees of freedom (infinite kurtosis).
 * - `bimodal`: four slots of five are normal, the fifth is slower by 2.5 × `spread`.
 * - `autocorrelated`: AR(0.5), each slot remembers half of the one before.
 * - `drifting`: normal, while the machine gets steadily slower by `spread` / 20 a slot.
 */
export function slotNoise(
  shape: NoiseShape,
  { spread, generator }: { readonly spread: number; readonly generator: SeededGenerator },
): SlotNoise {
  const normal = () => Math.log1p(Math.max(-0.99, spread * generator.normal()));
  switch (shape) {
    case 'normal':
      return normal;
    case 'lognormal':
      return () =>
        Math.log1p((spread * (Math.exp(generator.normal()) - lognormalMean)) / lognormalSpread);
    case 'student':
      return () => (spread * studentDraw(generator)) / studentSpread;
    case 'bimodal':
      return () =>
        (generator.nextInt(5) === 0 ? 2.5 * spread : 0) + 0.2 * spread * generator.normal();
    case 'autocorrelated':
      return autocorrelated(spread, generator);
    case 'drifting':
      return drifting(spread, normal);
  }
}

const lognormalMean = Math.exp(0.5);
const lognormalSpread = Math.sqrt((Math.E - 1) * Math.E);
const studentDegrees = 2.5;
const studentSpread = Math.sqrt(studentDegrees / (studentDegrees - 2));

/** One draw of Student's t by Bailey's polar formula (1994, Math. Comp. 62:779–781). */
function studentDraw(generator: SeededGenerator): number {
  const radius = Math.sqrt(
    studentDegrees * ((1 - generator.uniform()) ** (-2 / studentDegrees) - 1),
  );
  return radius * Math.cos(2 * Math.PI * generator.uniform());
}

function autocorrelated(spread: number, generator: SeededGenerator): SlotNoise {
  const memory = 0.5;
  let state = generator.normal();
  return () => {
    state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
    return spread * state;
  };
}

function drifting(spread: number, normal: SlotNoise): SlotNoise {
  let slot = 0;
  return () => {
    slot += 1;
    return normal() + (spread / 20) * slot;
  };
}

/**
 * Simulates one block: two slots in time order, and a fair coin that decides which series runs in
 * which. `ratio` is the true a / b. The coin is drawn here as a plan draws it.
 */
export function simulateBlock(
  noise: SlotNoise,
  { ratio, generator }: { readonly ratio: number; readonly generator: SeededGenerator },
): BlockPair {
  const first = noise();
  const second = noise();
  const aRunsFirst = generator.nextInt(2) === 0;
  return {
    a: ratio * Math.exp(aRunsFirst ? first : second),
    b: Math.exp(aRunsFirst ? second : first),
  };
}

/**
 * Simulates a first round: one permutation assigns the slots of all its trials to the series and
 * their blocks, as a plan draws it.
 */
export function simulateFirstRound(
  noise: SlotNoise,
  {
    ratio,
    blocks,
    generator,
  }: { readonly ratio: number; readonly blocks: number; readonly generator: SeededGenerator },
): readonly BlockPair[] {
  const slots = Array.from({ length: 2 * blocks }, noise);
  const drawn = generator.shuffle(slots);
  return Array.from({ length: blocks }, (_, block) => ({
    a: ratio * Math.exp(drawn[block] ?? NaN),
    b: Math.exp(drawn[blocks + block] ?? NaN),
  }));
}
