import type { GuestReader } from '../../../../pages/protocol.d.ts';
import type { Benchmark, Case, GuestCourse, Parameter } from '../../../core/model/case.ts';
import { ownPageId, pageParameter } from '../../../core/model/case-label.ts';
import type { NamedInput, NamedNetwork } from './conditions.ts';
import type { Measure } from './measures.ts';
import type { Version } from './resolve.ts';

/** How the pages are opened and what is done to them, before they are read. */
export interface Visit {
  readonly network?: NamedNetwork;
  readonly warm?: true;
  readonly spa?: true;
  readonly isolated?: false;
  readonly acceptStatus?: readonly number[];
  readonly begin?: string;
  readonly input?: NamedInput;
}

interface Reading extends Visit, GuestCourse {
  /** The page, where there are several. */
  readonly page?: string | null;
  readonly measures: readonly Measure[];
  readonly discover?: readonly GuestReader[];
}

/** One benchmark whose parameter `version` says which page is opened. */
export function versionsBenchmark(
  versions: readonly Version[],
  { measures, discover, input, page = null, ...visit }: Reading,
): Benchmark {
  return {
    id: ownPageId,
    version: 1,
    title: versions.length === 1 ? (versions[0]?.name ?? '') : 'Versions of a page',
    description: `A page that is not ours, in the versions ${versions.map(({ name }) => name).join(', ')}.`,
    page: 'index.html',
    parameters: [
      {
        name: 'version',
        kind: 'choice',
        values: versions.map(({ name }) => name),
        default: versions[0]?.name ?? '',
      },
      ...conditionsOf({ ...visit, page, ...(input && { input }) }),
    ],
    metrics: measures.map(({ metric }) => metric),
    guest: {
      places: versions.map(({ name, place }) => ({ version: name, place })),
      ...visit,
      ...(input && { input: input.steps }),
      readers: Object.fromEntries(
        measures.flatMap((one) => ('reader' in one ? [[one.metric.id, one.reader]] : [])),
      ),
      waits: Object.fromEntries(
        measures.flatMap((one) =>
          'reader' in one && one.withinMs !== undefined ? [[one.metric.id, one.withinMs]] : [],
        ),
      ),
      watched: Object.fromEntries(
        measures.flatMap((one) => ('watched' in one ? [[one.metric.id, one.watched]] : [])),
      ),
      ...(discover === undefined ? {} : { discover }),
    },
  };
}

/** Conditions of all versions: results under others are another series. */
function conditionsOf({
  network,
  warm,
  isolated,
  input,
  page = null,
}: Omit<Reading, 'measures'>): readonly Parameter[] {
  const said = {
    [pageParameter]: page ?? undefined,
    network: network?.name,
    cache: warm && 'warm',
    isolation: isolated === false ? 'none' : undefined,
    input: input?.name,
  };
  return Object.entries(said).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, kind: 'choice', values: [value], default: value } as const],
  );
}

/** A case for each version, in their order. */
export function versionCases(benchmark: Benchmark): readonly Case[] {
  const [version, ...rest] = benchmark.parameters;
  if (version?.kind !== 'choice') throw new TypeError('a page has versions');
  const conditions = Object.fromEntries(rest.map((one) => [one.name, one.default]));
  return version.values.map((name) => ({
    benchmark,
    parameters: { version: name, ...conditions },
  }));
}
