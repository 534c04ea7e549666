import type { MeasuringCaller } from '../../core/app/caller.ts';
import { checkFirstRound } from '../../core/app/run/block-watch.ts';
import type { Case } from '../../core/model/case.ts';
import { loadSides, measureSides } from './compare-devices.ts';
import type { Comparison } from './conclude.ts';
import { type ComparedPageOptions, pageCommand, type Sides } from './options.ts';
import { withOwnPages } from './own-pages.ts';
import { parseMeasure } from './versions/measures.ts';

/**
 * Compares two devices on a page of one's own, by the first of its measures, until that is decided.
 * @throws FarmError
 */
export async function comparePage(
  names: Sides,
  options: ComparedPageOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  const firstRound = checkFirstRound(options, caller);
  const { page, ...others } = options;
  const asked = options.measure.map((text) => parseMeasure(text, options));
  return withOwnPages(
    [page],
    { ...others, asked },
    {
      devices: () => loadSides(names, options),
      areNamed: true,
      caller,
      use: ({ versions, presences, cases, access, probes, stored }) => {
        const [one] = cases;
        const [a, b] = presences;
        const metric = one?.benchmark.metrics[0];
        if (one === undefined || a === undefined || b === undefined || metric === undefined) {
          throw new TypeError('a comparison has two sides and a measure');
        }
        describeMeasures(one).forEach(caller.say);
        const pair = {
          a: { deviceId: a.device.id, case: one },
          b: { deviceId: b.device.id, case: one },
          metric,
        };
        const command = (seed: number): string =>
          pageCommand(names, options, { versions, access, seed });
        const sides = { presences, pair, firstRound, command, ownPages: stored };
        return measureSides(sides, { ...options, ...probes }, caller);
      },
    },
  );
}

/** Says by which measure the two are compared, where the page has several. */
function describeMeasures({ benchmark: { metrics } }: Case): readonly string[] {
  const [first, ...others] = metrics.map(({ title }) => title);
  if (first === undefined || others.length === 0) return [];
  return [`compares ${first}; --measure chooses another, and the report has ${others.join(', ')}`];
}
