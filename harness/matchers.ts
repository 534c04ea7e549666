/**
 * Matchers for `expect.extend` of Vitest, Jest and Playwright Test. `expect('new.html')` compares it
 * with another version, and `expect(compared)` looks at what `compare` found.
 */
import {
  type Answer,
  type ExpectedChange,
  expectFaster,
  expectSlower,
  shareOf,
} from './features/compare/expectations.ts';
import {
  compare,
  type MeasuringCaller,
  type VersionsComparison,
  type VersionsOptions,
} from './library.ts';

export type { Answer, ExpectedChange };

/** By how much a version must differ from another, and how the two are compared. */
export interface PageExpectation extends Partial<VersionsOptions> {
  /** A share such as 0.05, or `5%`; any difference when left out. */
  readonly by?: number | string;
  /** With its signal the comparison ends, and the expectation fails. */
  readonly caller?: Partial<MeasuringCaller>;
}

/** The result of `expect` with these matchers: of names of versions a promise. */
export interface PageMatchers<Return = unknown> {
  /** Every measure is shown to be faster. */
  toBeFaster(than: string, expectation?: PageExpectation): Promise<Return>;
  toBeFaster(expected?: ExpectedChange): Return;
  /** One measure is shown to be slower, or lost: `not.toBeSlower` holds while nothing is shown. */
  toBeSlower(than: string, expectation?: PageExpectation): Promise<Return>;
  toBeSlower(expected?: ExpectedChange): Return;
}

export const matchers = {
  toBeFaster: makeMatcher(expectFaster, () => ({})),
  // Else it would end once the version is slower at all.
  toBeSlower: makeMatcher(expectSlower, ({ by = 0 }) => ({ worseBy: shareOf(by) })),
};

type Judge = (compared: VersionsComparison, expected?: ExpectedChange) => Answer;

// Test runners take the types of an expectation from the last one.
interface Matcher {
  (received: VersionsComparison, expected?: ExpectedChange): Answer;
  (received: string, than: string, expectation?: PageExpectation): Promise<Answer>;
}

function makeMatcher(
  judge: Judge,
  ask: (expectation: PageExpectation) => Partial<VersionsOptions>,
): Matcher {
  const match = (
    received: string | VersionsComparison,
    than?: string | ExpectedChange,
    expectation: PageExpectation = {},
  ): Answer | Promise<Answer> => {
    if (typeof received === 'string') {
      if (typeof than === 'string') return judgePages([than, received], expectation);
      throw new TypeError(
        `say what ${received} is compared with: expect('new.html').toBeFaster('old.html')`,
      );
    }
    if (typeof than !== 'string') return judge(received, than);
    throw new TypeError(
      'a comparison knows its versions: expect(compared).toBeFaster({ by: 0.05 })',
    );
  };
  const judgePages = async (
    names: readonly string[],
    { by, caller, ...options }: PageExpectation,
  ): Promise<Answer> => {
    const asked = { ...ask({ ...(by !== undefined && { by }) }), ...options };
    const compared = await compare(names, asked, caller);
    return judge(compared, by === undefined ? {} : { by });
  };
  return match as Matcher;
}
