import { FarmError } from '../../../core/errors.ts';
import { type Measure, parseMeasure } from './measures.ts';

/**
 * The way to begin and read a well-known benchmark suite: its page, and its subtests as measures.
 */
interface WellKnownSuite {
  /** In a folder with a copy of it. */
  readonly page: string;
  readonly begin?: string;
  /** Expressions that give a record once it is done. */
  readonly results: readonly {
    readonly expression: string;
    readonly unit: string;
    readonly higher: boolean;
  }[];
}

/**
 * Written against the sources of Speedometer (4.0.0-alpha), JetStream 3, MotionMark (2025) and
 * Octane 2. Each says that it is done before it is read, so that a part is never taken for the
 * result.
 */
const suites: Readonly<Record<string, WellKnownSuite>> = {
  speedometer: {
    page: 'index.html?startAutomatically=true',
    results: [
      {
        expression:
          'benchmarkClient.hasFinished() && { Score: benchmarkClient.metrics.Score?.mean }',
        unit: 'points',
        higher: true,
      },
      {
        expression: `benchmarkClient.hasFinished() && Object.fromEntries(
          Object.values(benchmarkClient.metrics)
            .filter(({ parent, children, name }) => !parent && children.length > 0 && !/^Iteration-/.test(name))
            .map(({ name, mean }) => [name, mean]))`,
        unit: 'ms',
        higher: false,
      },
    ],
  },
  jetstream: {
    page: 'index.html?startAutomatically=true',
    results: [
      {
        expression: `JetStream.isDone && Object.fromEntries([
          ['Score', Math.exp(JetStream.benchmarks.reduce((sum, one) => sum + Math.log(one.score), 0) / JetStream.benchmarks.length)],
          ...JetStream.benchmarks.map(({ name, score }) => [name, score])])`,
        unit: 'points',
        higher: true,
      },
    ],
  },
  motionmark: {
    page: 'MotionMark/index.html',
    begin: `(function start() {
      if (document.getElementById('start-button').disabled) setTimeout(start, 200);
      else benchmarkController.startBenchmark();
    })()`,
    results: [
      {
        expression: `document.body.classList.contains('showing-results') && Object.fromEntries([
          ['Score', benchmarkController.runnerClient.scoreCalculator.score],
          ...benchmarkController.runnerClient.scoreCalculator.results
            .flatMap(({ testsResults }) => Object.values(testsResults))
            .flatMap((tests) => Object.entries(tests))
            .map(([name, { score }]) => [name, score])])`,
        // The amount of work that a browser draws at the full rate of its screen.
        unit: 'points at full fps',
        higher: true,
      },
    ],
  },
  octane: {
    page: 'index.html?auto=1',
    results: [
      {
        expression: `/^Octane Score: /.test(document.getElementById('main-banner').textContent) && Object.fromEntries([
          ['Score', Number(document.getElementById('main-banner').textContent.replace(/^.*: /, ''))],
          ...Array.from(document.querySelectorAll('[id^="Result-"]'), ({ id, textContent }) => [id.slice(7), Number(textContent)])])`,
        unit: 'points',
        higher: true,
      },
    ],
  },
};

export const wellKnownSuites: readonly string[] = Object.keys(suites);

/** One trial of a whole suite takes minutes. */
export const suiteDeadlineMs = 20 * 60_000;

export interface SuiteReading {
  readonly page: string;
  readonly begin?: string;
  readonly asked: readonly Measure[];
}

/** @throws FarmError `bad-argument` for one that is not known */
export function readingOfSuite(name: string): SuiteReading {
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (suite === undefined) {
    throw new FarmError('bad-argument', {
      what: `${name} is not a suite whose results the farm can read.`,
      next: `It knows ${wellKnownSuites.join(', ')}; --measure reads any other page.`,
    });
  }
  const { page, begin, results } = suite;
  return {
    page,
    ...(begin !== undefined && { begin }),
    asked: results.map((one) => parseMeasure(one.expression, one)),
  };
}
